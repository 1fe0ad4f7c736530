import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignRow, rowOf } from '../../fakes/reconcile/route-tables.ts';
import { lease, SyncWorld } from './sync-world.ts';

test("a row that says `exists` and cannot be seen is never replaced: it may be somebody else's", async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1', 'eni-theirs');
  world.leases.put(lease(1));
  await world.sync({ dryRun: true });
  world.tables.plant('rtb-1', foreignRow('10.244.1.0/24', 'pcx-1'));
  world.tables.lag('rtb-1', 20);
  const { report } = await world.sync();
  assert.deepEqual(
    world.writes().filter((write) => write.startsWith('ReplaceRoute')),
    [],
  );
  assert.equal(report.tables[0]?.failures[0]?.code, 'RouteAlreadyExists');
  assert.equal(report.tables[1]?.status, 'ok');
});

test('a row of ours that says `exists` and is seen a little later is replaced', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1', 'eni-old');
  world.leases.put(lease(1));
  world.tables.plant('rtb-1', rowOf('10.244.1.0/24', 'eni-old'));
  // One reading for the plan, one after the refusal.
  world.tables.lag('rtb-1', 2);
  const { report } = await world.sync();
  assert.equal(report.status, 'ok');
  assert.ok(world.tables.text('rtb-1').includes('10.244.1.0/24 -> eni-1 active'));
});
