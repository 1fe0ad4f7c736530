import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inState, lease, SyncWorld } from './sync-world.ts';

test('a failed, throttled or empty read changes nothing, the map included', async (t) => {
  const faults: [string, (world: SyncWorld) => void][] = [
    ['leases fail', (world) => world.leases.faults.add({ action: 'Query', meaning: 'transient' })],
    ['tables fail', (world) => world.tables.faults.add({ action: 'DescribeRouteTables', meaning: 'transient' })],
    ['tables throttled', (world) => world.tables.faults.add({ action: 'DescribeRouteTables', meaning: 'throttled' })],
    [
      'page 2 of the tables fails',
      (world) => {
        world.tables.pageSize = 2;
        world.tables.faults.add({ action: 'DescribeRouteTables', meaning: 'transient', after: 1 });
      },
    ],
    [
      'tables empty with status 200',
      (world) => {
        world.tables.emptyReads = 1;
      },
    ],
  ];
  for (const [name, plant] of faults) {
    await t.test(name, async () => {
      const world = new SyncWorld();
      await world.settle(lease(1), lease(2));
      world.leases.put(inState(2, 'released'));
      const maps = world.maps.published.length;
      plant(world);
      const { report } = await world.sync();
      assert.equal(report.status, 'failed');
      assert.ok((report.message ?? '').length > 10);
      assert.deepEqual(world.writes(), []);
      assert.equal(world.maps.published.length, maps);
      world.tables.emptyReads = 0;
      world.clock.advance(60_000);
      assert.equal((await world.sync()).report.status, 'ok');
      assert.equal(world.count('DeleteRoute'), 3);
    });
  }
});

test('an item that cannot be read leaves its row and its place in the map alone', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.leases.drop('10.244.2.0/24');
  world.leases.unreadable = [{ sortKey: 'lease#10.244.2.0/24', problem: 'garbage' }];
  await world.sync();
  assert.deepEqual(world.writes(), []);
  assert.equal(world.maps.current?.leases.length, 2);
});

test('a damaged map is published anew under a newer epoch, and routes are served meanwhile', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  const epoch = world.maps.current?.epoch ?? 0;
  world.maps.isDamaged = true;
  world.leases.put(inState(2, 'released'));
  assert.equal((await world.sync()).report.status, 'ok');
  assert.equal(world.count('DeleteRoute'), 3);
  assert.ok((world.maps.current?.epoch ?? 0) > epoch);
  assert.equal(world.maps.current?.leases.length, 1);
});

test('a map that cannot be read for a moment stops the sync before it changes anything', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.maps.faults.add({ action: 'GetItem', meaning: 'transient' });
  world.leases.put(inState(2, 'released'));
  assert.equal((await world.sync()).report.status, 'failed');
  assert.deepEqual(world.writes(), []);
});
