import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseNote } from '../../cli/release-note.ts';
import { leaseDetailJson } from '../../shared/domain/lease-json.ts';
import { holderRecord, leaseRecord } from '../contract/lease-samples.ts';

const released = leaseRecord(1, { state: 'released' });
const fact = (state: 'running' | 'stopped') => holderRecord(1, { fact: { state, time: 1 } });

test('the release of a running node says what goes, what stays, and when its agent claims again', () => {
  const note = releaseNote(leaseDetailJson(released, fact('running'))) ?? '';
  assert.match(note, new RegExp(`^${released.instanceId} is running, and is not told:\n`));
  assert.match(note, /routes to 10\.244\.\d+\.0\/24 go within seconds/);
  assert.match(note, /its agent claims again with its next renewal, within a quarter of LeaseSeconds/);
});

test('nothing is known of the instance: it may be running', () => {
  assert.match(releaseNote(leaseDetailJson(released, null)) ?? '', / may be running, and is not told:/);
});

test('a stopped node claims when it starts, and a reservation never does', () => {
  assert.match(releaseNote(leaseDetailJson(released, fact('stopped'))) ?? '', /is stopped; when it starts/);
  assert.equal(releaseNote(leaseDetailJson(leaseRecord(1, { state: 'released', instanceId: null }), null)), null);
});
