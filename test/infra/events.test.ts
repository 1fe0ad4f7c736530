import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseRequest } from '../../functions/resync/request.ts';
import { parseCommand } from '../../shared/domain/command.ts';
import { byId, list, map } from './template-resources.ts';

const infra = join(import.meta.dirname, '../../infra');
const read = (path: string) => JSON.parse(readFileSync(join(infra, path), 'utf8'));
const files = (pattern: string) => globSync(pattern, { cwd: infra }).sort();

/** Validators of the public events' details, by detail-type. */
const schemas = new Map<string, ValidateFunction>(
  files('schemas/*.schema.json').map((path) => {
    const schema = read(path);
    assert.equal(schema.$id, `urn:leaseway:event:${basename(path, '.schema.json')}`);
    return [schema.title, new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema)];
  }),
);

function problems(event: { 'detail-type': string; detail: unknown }): unknown {
  const validate = schemas.get(event['detail-type']);
  assert.ok(validate, `there is no schema of ${event['detail-type']}`);
  return validate(event.detail) ? null : validate.errors;
}

test('every public event has a schema, and an example that it accepts', () => {
  const publicTypes = [
    'Lease Change',
    'Route Change',
    'Route Sync Failed',
    'Route Sync Refused',
    'Route Table Capacity',
  ];
  assert.deepEqual([...schemas.keys()].sort(), publicTypes);
  const shown = new Set<string>();
  for (const path of files('events/public/*.json')) {
    const event = read(path);
    assert.equal(problems(event), null, path);
    shown.add(event['detail-type']);
  }
  assert.deepEqual([...shown].sort(), publicTypes);
});

test('a schema refuses an event that lacks any one of its fields', () => {
  for (const path of files('events/public/*.json')) {
    const event = read(path);
    for (const field of Object.keys(event.detail).filter((key) => key !== 'truncated')) {
      const { [field]: _, ...detail } = event.detail;
      assert.notEqual(problems({ ...event, detail }), null, `${path} without ${field}`);
    }
  }
});

test('a lease in an event must say what packets follow', () => {
  const event = read('events/public/lease-change.json');
  for (const lease of [
    { ...event.detail.lease, state: 'lost' },
    { ...event.detail.lease, subnet: '10.244.1.0' },
    { ...event.detail.lease, vtepMac: '4E:57:7A:6D:A7:E2' },
    { ...event.detail.lease, expiresAt: '2026-09-21' },
  ]) {
    assert.notEqual(problems({ ...event, detail: { ...event.detail, lease } }), null);
  }
  const reservation = { ...event.detail.lease, instanceId: null, expiresAt: null, state: 'reserved' };
  assert.equal(problems({ ...event, detail: { ...event.detail, lease: reservation } }), null);
});

test('there is an example of every instance state that the rule lets through', () => {
  const states = list(map(map(byId('InstanceStateRule').properties['EventPattern'])['detail'])['state']);
  for (const state of states) {
    const event = read(`events/instance-state/${state}.json`);
    assert.equal(event.detail.state, state);
    assert.deepEqual(event.resources, [
      `arn:aws:ec2:${event.region}:${event.account}:instance/${event.detail['instance-id']}`,
    ]);
  }
});

test('the sweep is what its rule sends', () => {
  const [target] = list(byId('SweepScheduleRule').properties['Targets']);
  assert.deepEqual(read('events/sweep.json'), JSON.parse(String(map(target)['Input'])));
});

test('the sample requests of a resync are accepted', () => {
  for (const path of files('events/resync/*.json')) assert.doesNotThrow(() => parseRequest(read(path)), path);
});

test('there is a sample of every lease command, and each is accepted', () => {
  const commands = files('events/lease-commands/*.json').map((path) => parseCommand(read(path)).command);
  assert.throws(
    () => parseCommand({ command: '' }),
    (error: Error) => commands.every((command) => error.message.includes(command)) && commands.length === 8,
  );
});

test('queue messages carry whole events, and the checksums that SQS would give them', () => {
  for (const path of files('events/sync-queue/*.json')) {
    for (const record of read(path).Records) {
      const event = JSON.parse(record.body);
      assert.ok(event.id && event['detail-type'], path);
      assert.equal(record.md5OfBody, createHash('md5').update(record.body).digest('hex'), path);
      const hash = createHash('sha256').update(record.body).digest('hex');
      assert.equal(record.attributes.MessageDeduplicationId, hash, path);
    }
  }
});
