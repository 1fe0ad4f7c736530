import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  applied,
  blackhole,
  lease,
  local,
  planOfFile,
  planOfParts,
  row,
  stepsOf,
  strangers,
  worldFile,
} from './world-file.ts';

/** Few subnets and ENIs, so that leases and rows meet. */
const node = fc.integer({ min: 1, max: 8 });
const state = fc.constantFrom('active', 'active', 'active', 'leaving', 'withdrawn', 'released');

const leases = fc.uniqueArray(
  fc.record({ n: node, instance: node, state, acquiredAt: fc.integer({ min: 1, max: 3 }) }),
  { selector: ({ n, instance }) => `${n} ${instance}`, maxLength: 12 },
);

const ownRow = fc
  .record({ n: node, eni: fc.option(node), isBlackhole: fc.boolean() })
  .map(({ n, eni, isBlackhole }) => {
    const id = eni === null ? null : `eni-${eni}`;
    return isBlackhole || id === null ? blackhole(`10.244.${n}.0/24`, id) : row(`10.244.${n}.0/24`, id);
  });
const foreignRow = node.chain((n) =>
  fc.constantFrom(
    row(`10.244.${n}.128/25`, 'eni-x'),
    row(`10.244.${n}.0/24`, null, { VpcPeeringConnectionId: 'pcx-1' }),
    row(`10.245.${n}.0/24`, 'eni-y'),
  ),
);
const rows = fc.uniqueArray(fc.oneof(ownRow, ownRow, foreignRow), {
  selector: (entry) => String(entry['DestinationCidrBlock']),
  maxLength: 12,
});

const parts = fc.record({ leases, one: rows, two: rows, routeLimit: fc.integer({ min: 1, max: 20 }) });

type Parts = typeof parts extends fc.Arbitrary<infer Value> ? Value : never;

function fileOf(world: Parts) {
  return worldFile({
    leases: world.leases.map(({ n, instance, ...more }) =>
      lease(n, { instanceId: `i-${instance}`, eniId: `eni-${instance}`, ...more }),
    ),
    tables: { 'rtb-1': [local, ...strangers.slice(1), ...world.one], 'rtb-2': [local, ...world.two] },
    options: { routeLimit: world.routeLimit },
  });
}

/** The same world in another order: lists are sets, and members of objects have no order. Not so the configuration. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return reordered(value, seed).map((entry) => shuffled(entry, seed + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    reordered(Object.entries(value), seed).map(([key, member]) => [
      key,
      key === 'config' ? member : shuffled(member, seed + 1),
    ]),
  );
}

function reordered<Entry>(entries: readonly Entry[], seed: number): Entry[] {
  return entries
    .map((entry, at) => ({ entry, rank: Math.sin(seed * 97 + at * 31) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

describe('plans of random worlds', () => {
  it('are the same bytes whatever the order of leases, tables, rows and members', () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 1000 }), (world, seed) => {
        const file = fileOf(world);
        assert.equal(JSON.stringify(planOfFile(shuffled(file, seed))), JSON.stringify(planOfFile(file)));
      }),
      { numRuns: 300 },
    );
  });

  it('are silent after they were carried out, but for what the guard holds', () => {
    fc.assert(
      fc.property(parts, (world) => {
        const file = fileOf(world);
        const plan = planOfFile(file);
        const again = planOfFile(applied(file, plan));
        for (const id of ['rtb-1', 'rtb-2']) {
          assert.deepEqual(stepsOf(again, id), []);
          assert.equal(again.tables[id]?.foreign, plan.tables[id]?.foreign);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a destination with two rows', () => {
  const propagated = row('10.244.1.0/24', null, { GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' });
  const ours = row('10.244.1.0/24', 'eni-1');

  it('P3: is ours where one of them is: EC2 prefers the created row to the propagated one', () => {
    for (const both of [
      [propagated, ours],
      [ours, propagated],
    ]) {
      const plan = planOfParts({ leases: [lease(1)], tables: { 'rtb-1': [local, ...both] } });
      assert.deepEqual(stepsOf(plan), []);
      assert.equal(plan.tables['rtb-1']?.kept, 1);
      assert.deepEqual(plan.tables['rtb-1']?.conflicts, []);
    }
  });

  it('P3: is a conflict where the propagated row is alone', () => {
    const plan = planOfParts({ leases: [lease(1)], tables: { 'rtb-1': [local, propagated] } });
    assert.deepEqual(plan.tables['rtb-1']?.conflicts, [{ destination: '10.244.1.0/24', nextHop: 'vgw-1' }]);
  });
});

describe('several leases of one subnet', () => {
  function keysOf(...leases: Record<string, unknown>[]): string[] {
    return [leases, leases.toReversed()].map((order) => {
      const plan = planOfParts({ leases: order, tables: { 'rtb-1': [local] } });
      return Object.entries(plan.leases)
        .map(([key, { status }]) => `${key}: ${status}`)
        .join(', ');
    });
  }

  function both(text: string): string[] {
    return [text, text];
  }

  it("let a live one speak before a dead one, and a stopped node's before a tombstone", () => {
    const released = lease(1, { instanceId: 'i-old', acquiredAt: 1, state: 'released' });
    const withdrawn = lease(1, { instanceId: 'i-stopped', acquiredAt: 2, state: 'withdrawn' });
    const active = lease(1, { instanceId: 'i-new', acquiredAt: 3 });
    assert.deepEqual(keysOf(released, withdrawn), both('10.244.1.0/24: withdrawn, 10.244.1.0/24 (i-old): released'));
    assert.deepEqual(keysOf(released, active), both('10.244.1.0/24: pending, 10.244.1.0/24 (i-old): released'));
  });

  it('let the earlier of two live ones win, then the lower instance id, then the lower ENI', () => {
    const winner = '10.244.1.0/24: pending';
    assert.deepEqual(
      keysOf(lease(1, { instanceId: 'i-a', acquiredAt: 9 }), lease(1, { instanceId: 'i-b', acquiredAt: 8 })),
      both(`${winner}, 10.244.1.0/24 (i-a): conflict`),
    );
    assert.deepEqual(
      keysOf(lease(1, { instanceId: 'i-a', acquiredAt: 9 }), lease(1, { instanceId: 'i-b', acquiredAt: 9 })),
      both(`${winner}, 10.244.1.0/24 (i-b): conflict`),
    );
    for (const order of [
      ['eni-a', 'eni-b'],
      ['eni-b', 'eni-a'],
    ]) {
      const plan = planOfParts({ leases: order.map((eniId) => lease(1, { instanceId: 'i-a', acquiredAt: 9, eniId })) });
      assert.deepEqual(stepsOf(plan), ['create 10.244.1.0/24 eni-a missing']);
    }
  });

  it('keep a key each, also when one lease is listed twice', () => {
    assert.deepEqual(
      keysOf(lease(1), lease(1), lease(1)),
      both('10.244.1.0/24: pending, 10.244.1.0/24 (i-1): conflict, 10.244.1.0/24 (i-1) 2: conflict'),
    );
  });
});

it('ids are compared in lower case, and printed as AWS prints them', () => {
  const plan = (eni: string) =>
    planOfParts({ leases: [lease(1, { eniId: 'eni-0AB' })], tables: { 'rtb-1': [local, row('10.244.1.0/24', eni)] } });
  assert.deepEqual(stepsOf(plan('ENI-0ab')), []);
  assert.deepEqual(stepsOf(plan('eni-0CD')), ['replace 10.244.1.0/24 eni-0CD > eni-0ab changed']);
});
