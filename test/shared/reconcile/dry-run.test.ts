import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCovered } from '../../../shared/reconcile/covered.ts';
import { readState } from '../../../shared/reconcile/sync-state.ts';
import { inState, lease, netConf, SyncWorld } from './sync-world.ts';

test('a dry run tells what would be done, not what failed before', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.interfaces('attached', 'eni-2');
  world.tables.faults.add({ action: 'CreateRoute', resource: 'rtb-2', meaning: 'denied', times: 100 });
  world.leases.put(lease(2));
  assert.equal((await world.sync()).report.status, 'partial');
  const { report } = await world.sync({ dryRun: true, isManual: true });
  assert.equal(report.status, 'ok');
  assert.deepEqual(
    report.tables.map(({ left, failures }) => [left, failures.length]),
    [
      [0, 0],
      [1, 0],
      [0, 0],
    ],
  );
});

test('a dry run makes no write anywhere', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.leases.put(lease(2), inState(1, 'released'));
  const [state, maps] = [world.state.json, world.maps.published.length];
  const { report, planned } = await world.sync({ dryRun: true });
  assert.deepEqual(world.writes(), []);
  assert.equal(world.state.json, state);
  assert.equal(world.maps.published.length, maps);
  assert.equal(report.mode, 'dry-run');
  assert.equal(planned?.plan.tables[0]?.steps.length, 2);
});

test('observe plans, publishes and writes no route', async () => {
  const world = new SyncWorld(netConf({ Mode: 'observe' }));
  world.leases.put(lease(1));
  const { report } = await world.sync();
  assert.deepEqual(world.writes(), []);
  assert.equal(report.mode, 'observe');
  assert.equal(report.tables[0]?.left, 1);
  assert.equal(world.maps.current?.leases.length, 1);
});

test('only the named tables are written, all are read', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  await world.sync({ only: ['rtb-2'], isManual: true });
  assert.deepEqual(world.writes(), ['CreateRoute rtb-2 10.244.1.0/24 eni-1']);
});

test('a resync of one table does not count as a sync that put every table right', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  await world.sync({ only: ['rtb-2'], isManual: true });
  const state = readState(await world.state.read(), world.clock.now());
  assert.equal(state.complete, null);
  await world.sync();
  const after = readState(await world.state.read(), world.clock.now());
  assert.equal(isCovered(after, world.clock.now() - 60_000), true);
  assert.equal(isCovered(after, world.clock.now()), false, 'sent less than two seconds before the reading');
});
