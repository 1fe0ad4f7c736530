import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf } from '../../fakes/reconcile/route-tables.ts';
import { lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

test('a full table keeps what it has, names what it lacks, and is asked no more', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.limits.set('rtb-1', 2);
  world.tables.interfaces('attached', 'eni-3');
  world.leases.put(lease(3));
  const { report } = await world.sync();
  assert.equal(report.tables[0]?.failures[0]?.code, 'RouteLimitExceeded');
  assert.ok(world.tables.text('rtb-2').includes('10.244.3.0/24 -> eni-3 active'));
  world.forget();
  world.clock.advance(60_000);
  const next = await world.sync();
  assert.deepEqual(world.writes(), []);
  assert.deepEqual(next.report.tables[0]?.overflow, ['10.244.3.0/24']);
  assert.deepEqual(
    next.events.map(({ detailType }) => detailType),
    ['Route Table Capacity'],
  );
  assert.deepEqual((await world.sync()).events, [], 'told once');
});

test('E1: a full table with an orphan deletes it first and then creates', async () => {
  const world = new SyncWorld(netConf({ RouteLimit: 3 }));
  await world.settle(lease(1), lease(2));
  for (const id of tableIds) {
    world.tables.interfaces('attached', 'eni-old');
    world.tables.plant(id, rowOf('10.244.9.0/24', 'eni-old'));
    world.tables.limits.set(id, 3);
  }
  world.tables.interfaces('attached', 'eni-3');
  world.leases.put(lease(3));
  const { report } = await world.sync();
  assert.equal(report.status, 'ok');
  assert.deepEqual(
    world.writes().filter((write) => write.includes('rtb-1')),
    ['DeleteRoute rtb-1 10.244.9.0/24', 'CreateRoute rtb-1 10.244.3.0/24 eni-3'],
  );
});
