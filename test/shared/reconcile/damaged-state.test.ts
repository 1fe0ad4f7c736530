import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isCovered } from '../../../shared/reconcile/covered.ts';
import { readState } from '../../../shared/reconcile/sync-state.ts';
import { lease, SyncWorld } from './sync-world.ts';

describe('a stored state that is none stops no sync and is replaced', () => {
  const garbage: readonly unknown[] = [
    'a text',
    7,
    [],
    {},
    { version: 1, tables: {} },
    { version: 2 },
    { version: 2, vpcId: 5, counter: 'x', tables: null, buckets: [] },
    { version: 99, tables: { 'rtb-1': { retryAt: Number.MAX_SAFE_INTEGER } } },
  ];
  for (const stored of garbage) {
    test(JSON.stringify(stored), async () => {
      const world = new SyncWorld();
      await world.settle(lease(1));
      world.tables.interfaces('attached', 'eni-2');
      world.leases.put(lease(2));
      world.state.json = JSON.stringify(stored);
      assert.equal((await world.sync()).report.status, 'ok');
      assert.equal(world.count('CreateRoute'), 3);
      world.forget();
      await world.sync();
      assert.deepEqual(world.writes(), []);
    });
  }

  test('one field of many that is wrong, too', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const state = JSON.parse(world.state.json ?? '') as { buckets: { CreateRoute: unknown } };
    state.buckets.CreateRoute = { tokens: 'many' };
    world.state.json = JSON.stringify(state);
    assert.equal((await world.sync()).report.status, 'ok');
  });
});

describe('a state written under a clock that ran ahead', () => {
  const hour = 3_600_000;

  test('covers no message', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const behind = world.clock.now() - hour;
    const stored = JSON.parse(world.state.json ?? '') as unknown;
    assert.equal(isCovered(readState(stored, world.clock.now()), behind), true);
    assert.equal(isCovered(readState(stored, behind), behind), false);
  });

  test('holds up no sync: neither table, nor pace, nor map waits for that clock', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    world.tables.faults.add({ action: 'CreateRoute', meaning: 'transient', times: 100 });
    world.tables.interfaces('attached', 'eni-2');
    world.leases.put(lease(2));
    world.clock.advance(24 * hour);
    await world.sync();
    world.tables.faults.clear();
    world.clock.time -= 24 * hour;
    world.clock.slept = 0;
    await world.sync();
    world.clock.advance(15 * 60_000);
    const { report } = await world.sync();
    assert.equal(report.status, 'ok');
    assert.ok(world.clock.slept < 60_000, `slept ${world.clock.slept} ms`);
    assert.ok(world.tables.text('rtb-3').includes('10.244.2.0/24 -> eni-2 active'));
  });
});

test('a state that cannot be kept costs neither the report nor the events of what was written', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.interfaces('attached', 'eni-2');
  world.leases.put(lease(2));
  world.state.faults.add({ action: 'PutItem', meaning: 'transient' });
  const { report, events, unsaved } = await world.sync();
  assert.equal(report.status, 'ok');
  assert.ok(unsaved instanceof Error);
  assert.deepEqual(
    events.map(({ detailType }) => detailType),
    ['Route Change'],
  );
  world.forget();
  assert.equal((await world.sync()).unsaved, null);
  assert.deepEqual(world.writes(), []);
});
