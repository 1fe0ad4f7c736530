import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inState, lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

const minute = 60_000;

/** Two leases, and then a new one whose creates are refused on rtb-2. */
async function deniedCreates(): Promise<SyncWorld> {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.faults.add({ action: 'CreateRoute', resource: 'rtb-2', meaning: 'denied', times: 1000 });
  world.tables.interfaces('attached', 'eni-3', 'eni-99');
  world.leases.put(lease(3));
  const { report } = await world.sync();
  assert.equal(report.tables[1]?.status, 'failed');
  world.forget();
  return world;
}

const ofTable2 = (world: SyncWorld) => world.writes().filter((write) => write.includes('rtb-2'));

test('a table whose creates are refused goes on with its repairs and deletions', async () => {
  const world = await deniedCreates();
  world.leases.put(lease(1, { eniId: 'eni-99' }), inState(2, 'released'));
  const { report } = await world.sync();
  assert.deepEqual(ofTable2(world), ['ReplaceRoute rtb-2 10.244.1.0/24 eni-99', 'DeleteRoute rtb-2 10.244.2.0/24']);
  const [failure, ...others] = report.tables[1]?.failures ?? [];
  assert.deepEqual([failure?.action, failure?.permanent, others], ['CreateRoute', true, []]);
  assert.equal(report.tables[1]?.left, 1);
});

test('and is not asked for the refused action before its time, which doubles', async () => {
  const world = await deniedCreates();
  const tries: number[] = [];
  for (let tick = 1; tick <= 40; tick += 1) {
    world.clock.advance(minute);
    world.forget();
    await world.sync();
    if (ofTable2(world).length > 0) tries.push(tick);
  }
  assert.deepEqual(tries, [1, 3, 7, 15, 30]);
});

test('one that only waits for a permission says so, with the action and the time, and tells it once', async () => {
  const world = await deniedCreates();
  const { report, events } = await world.sync();
  const table = report.tables[1];
  assert.equal(table?.status, 'waiting');
  assert.equal(table?.failures[0]?.action, 'CreateRoute');
  assert.equal(table?.left, 1);
  assert.ok((table?.retryAt ?? 0) > world.clock.now());
  assert.equal(report.more, false);
  assert.deepEqual(events, []);
});

test('a dry run tells the time, as long as there is something that waits for it', async () => {
  const world = await deniedCreates();
  const retryAt = async () => (await world.sync({ dryRun: true, isManual: true })).report.tables[1]?.retryAt ?? null;
  assert.ok(((await retryAt()) ?? 0) > world.clock.now());
  world.leases.put(inState(3, 'released'));
  assert.equal(await retryAt(), null);
});

test('a person is not held up, and what is allowed again is written', async () => {
  const world = await deniedCreates();
  world.tables.faults.clear();
  const { report } = await world.sync({ isManual: true });
  assert.equal(report.status, 'ok');
  assert.deepEqual(ofTable2(world), ['CreateRoute rtb-2 10.244.3.0/24 eni-3']);
  world.forget();
  world.tables.interfaces('attached', 'eni-4');
  world.leases.put(lease(4));
  assert.equal((await world.sync()).report.status, 'ok');
  assert.equal(ofTable2(world).length, 1);
});

test('each refused action is named, whichever call it was', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  for (const action of ['CreateRoute', 'ReplaceRoute', 'DeleteRoute'] as const) {
    world.tables.faults.add({ action, resource: 'rtb-2', meaning: 'denied', times: 1000 });
  }
  world.tables.interfaces('attached', 'eni-3', 'eni-99');
  world.leases.put(lease(1, { eniId: 'eni-99' }), inState(2, 'released'), lease(3));
  const first = await world.sync();
  const actions = (result: typeof first) => result.report.tables[1]?.failures.map(({ action }) => action).sort();
  assert.deepEqual(actions(first), ['CreateRoute', 'DeleteRoute', 'ReplaceRoute']);
  world.forget();
  assert.deepEqual(actions(await world.sync()), ['CreateRoute', 'DeleteRoute', 'ReplaceRoute']);
  assert.deepEqual(ofTable2(world), []);
});

test('a live lease whose deletion is refused stays off the path that was announced to go', async () => {
  const backend = { Fallback: { Type: 'vxlan' } };
  const world = new SyncWorld(netConf({ RouteLimit: 3 }, backend));
  await world.settle(lease(1), lease(2), lease(3));
  world.leases.configure(netConf({ RouteLimit: 2 }, backend));
  for (const id of tableIds) {
    world.tables.faults.add({ action: 'DeleteRoute', resource: id, meaning: 'denied', times: 1000 });
  }
  for (let tick = 0; tick < 20; tick += 1) {
    await world.sync();
    assert.deepEqual(world.maps.current?.leases[2]?.routedIn, [], `tick ${tick}`);
    world.clock.advance(minute);
  }
});
