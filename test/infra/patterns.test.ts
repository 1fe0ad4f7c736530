import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileFilters, compilePattern } from '../../infra/sandbox/events/pattern.ts';
import { byId, list, map } from './template-resources.ts';

const read = (path: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/events', path), 'utf8'));

function filterOf(mapping: string): (record: unknown) => boolean {
  const filters = list(map(byId(mapping).properties['FilterCriteria'])['Filters']);
  return compileFilters(
    filters.map((filter) => JSON.parse(String(map(filter)['Pattern']))),
    mapping,
  );
}

function ruleOf(id: string): (event: unknown) => boolean {
  const pattern = JSON.stringify(byId(id).properties['EventPattern']);
  return compilePattern(JSON.parse(pattern.replaceAll('{"Ref":"NetworkName"}', '"default"')));
}

test('the keeper is woken by claims, not by its own answers nor by claims that go', () => {
  const matches = filterOf('ClaimsStreamMapping');
  const [claim, ...others] = read('claims-stream.json').Records;
  for (const record of [claim, ...others]) assert.ok(matches(record));
  const keys = { ...claim.dynamodb.Keys, sk: { S: 'answer' } };
  assert.ok(!matches({ ...claim, dynamodb: { ...claim.dynamodb, Keys: keys } }));
  assert.ok(!matches({ ...claim, eventName: 'REMOVE' }));
});

test('changes of leases are published, removals by hand too, but not what the time to live removes', () => {
  const matches = filterOf('LeasesStreamMapping');
  const { Records } = read('leases-stream.json');
  const by = Records.map((record: { eventName: string; userIdentity?: unknown }) => [
    record.eventName,
    record.userIdentity !== undefined,
    matches(record),
  ]);
  assert.deepEqual(by, [
    ['INSERT', false, true],
    ['MODIFY', false, true],
    ['REMOVE', false, true],
    ['REMOVE', true, false],
  ]);
});

test('items beside the leases, holders and the configuration, publish nothing', () => {
  const matches = filterOf('LeasesStreamMapping');
  const [record] = read('leases-stream.json').Records;
  for (const sk of ['holder#i-0a11aa11aa11aa111', 'config', 'counter']) {
    const keys = { ...record.dynamodb.Keys, sk: { S: sk } };
    assert.ok(!matches({ ...record, dynamodb: { ...record.dynamodb, Keys: keys } }), sk);
  }
});

test('H7: states of instances go to the keeper by the key with the hyphen, all but the first', () => {
  const matches = ruleOf('InstanceStateRule');
  for (const state of ['running', 'stopping', 'stopped', 'shutting-down', 'terminated']) {
    assert.ok(matches(read(`instance-state/${state}.json`)), state);
  }
  assert.ok(!matches(read('instance-state/pending.json')));
  assert.ok(!matches({ ...read('instance-state/stopped.json'), detail: {} }));
});

test('a sync is asked for by the leases and continuations of this network alone', () => {
  const [leaseChange, continuation] = [ruleOf('LeaseChangeRule'), ruleOf('SyncContinuationRule')];
  const change = read('public/lease-change.json');
  const more = read('sync-continuation.json');
  assert.deepEqual([leaseChange(change), continuation(more)], [true, true]);
  assert.deepEqual([leaseChange(more), continuation(change)], [false, false]);
  const elsewhere = (event: { detail: object }) => ({ ...event, detail: { ...event.detail, network: 'other' } });
  assert.deepEqual([leaseChange(elsewhere(change)), continuation(elsewhere(more))], [false, false]);
  assert.ok(!leaseChange(read('public/route-change.json')));
});
