import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdersOf, movedAddresses } from '../../../shared/domain/moved-addresses.ts';
import { type GuardState, holdPeers, noGuardState } from '../../../shared/domain/node-guard.ts';
import { type LeaseInput, lease, leaseIn, mapOf } from './node-world.ts';

const minute = 60_000;

/** Feeds maps one after the other; gives which peers are in force after each. */
function feed(...turns: readonly { leases: readonly LeaseInput[]; isNew?: boolean; at?: number }[]): string[] {
  let state: GuardState = noGuardState;
  return turns.map(({ leases, isNew = true, at = 0 }) => {
    const map = mapOf([lease(1, 1), ...leases]);
    const guarded = holdPeers(state, map, leaseIn(map, 1), { isNew, now: at });
    state = guarded.state;
    const peers = guarded.map.leases.slice(1).map(({ instanceId }) => instanceId?.slice(2));
    return `${peers.join(' ')}${guarded.held.length > 0 ? ` (${guarded.held.length} held)` : ''}`;
  });
}

const six = [2, 3, 4, 5, 6, 7].map((n) => lease(n, 1));

test('an empty map after a full one is held until two further revisions agree', () => {
  const gone = { leases: [] };
  assert.deepEqual(feed({ leases: six }, gone, gone, gone), [
    '2 3 4 5 6 7',
    '2 3 4 5 6 7 (6 held)',
    '2 3 4 5 6 7 (6 held)',
    '',
  ]);
});

test('or until ten minutes have passed; looking again at the same map does not count', () => {
  const gone = { leases: [] };
  const again = { leases: [], isNew: false };
  assert.deepEqual(
    feed({ leases: six }, gone, { ...again, at: minute }, { ...again, at: 2 * minute }, { ...again, at: 10 * minute }),
    ['2 3 4 5 6 7', '2 3 4 5 6 7 (6 held)', '2 3 4 5 6 7 (6 held)', '2 3 4 5 6 7 (6 held)', ''],
  );
});

test('two peers may go at any time, and a third of many', () => {
  assert.deepEqual(feed({ leases: six }, { leases: six.slice(2) }), ['2 3 4 5 6 7', '4 5 6 7']);
  const many = Array.from({ length: 12 }, (_, n) => lease(n + 2, 1));
  assert.match(feed({ leases: many }, { leases: many.slice(4) })[1] ?? '', /^6 7 8 9 10 11 12 13$/);
  assert.match(feed({ leases: many }, { leases: many.slice(5) })[1] ?? '', /\(5 held\)$/);
});

test('a peer that the map still mentions goes at once: another state, another subnet, another holder', () => {
  const states = six.map((one) => ({ ...one, state: 'withdrawn' }));
  const moved = six.map((one, index) => ({ ...one, subnet: `10.244.${index + 100}.0/24`, vtepMac: undefined }));
  const held = six.map((one, index) => ({ ...one, instanceId: `i-${index + 200}`, vtepMac: undefined }));
  for (const leases of [states, moved, held]) {
    const [, after = ''] = feed({ leases: six }, { leases });
    assert.doesNotMatch(after, /held/);
  }
});

test('a peer that comes back is itself again', () => {
  assert.deepEqual(feed({ leases: six }, { leases: [] }, { leases: six }, { leases: six.slice(1) }).slice(2), [
    '2 3 4 5 6 7',
    '3 4 5 6 7',
  ]);
});

test('with the first map nothing is held: what an earlier life left is not of any map', () => {
  assert.deepEqual(feed({ leases: [] }), ['']);
});

test('an address that another machine has now is told, a lease that only moved its subnet is not', () => {
  const before = holdersOf(new Map(), mapOf([lease(2, 1), lease(3, 1), lease(4, 1)]).leases);
  const after = mapOf([
    lease(2, 1, { subnet: '10.244.99.0/24' }),
    lease(5, 1, { nodeIp: '10.0.1.12' }),
    lease(4, 1, { eniId: 'eni-new' }),
  ]).leases;
  assert.deepEqual(movedAddresses(before, after), ['10.0.1.12', '10.0.1.13']);
  const both = mapOf([lease(2, 1), lease(9, 1, { nodeIp: '10.0.1.11' })]).leases;
  assert.deepEqual(movedAddresses(before, both), ['10.0.1.11'], 'also while the old lease is still there');
  assert.deepEqual(movedAddresses(holdersOf(before, both), both), [], 'two that share one do not take it in turns');
  assert.deepEqual(movedAddresses(new Map(), after), []);
  assert.deepEqual(
    movedAddresses(holdersOf(before, []), after),
    ['10.0.1.12', '10.0.1.13'],
    'also after a while without',
  );
});
