import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowOf } from '../../fakes/reconcile/route-tables.ts';
import { inState, lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

test('a lease is routed in a table only after two readings that are five seconds apart', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  await world.sync();
  assert.deepEqual(world.maps.current?.leases[0]?.routedIn, []);
  world.clock.advance(2_000);
  await world.sync();
  assert.deepEqual(world.maps.current?.leases[0]?.routedIn, []);
  world.clock.advance(5_000);
  await world.sync();
  assert.deepEqual(world.maps.current?.leases[0]?.routedIn, [...tableIds]);
});

test('with a fallback the second reading is made in the same sync', async () => {
  const world = new SyncWorld(netConf({}, { Fallback: { Type: 'vxlan', DirectRouting: true } }));
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  await world.sync();
  assert.deepEqual(world.maps.current?.leases[0]?.routedIn, [...tableIds]);
  assert.deepEqual(
    world.maps.published.map((map) => map.leases[0]?.routedIn.length),
    [0, 3],
  );
});

test('a table that loses a route loses it in the map after two readings, and gets it back after a minute', async () => {
  const world = new SyncWorld(netConf({ Mode: 'observe' }, { Fallback: { Type: 'vxlan' } }));
  world.tables.interfaces('attached', 'eni-1');
  for (const id of tableIds) world.tables.plant(id, rowOf('10.244.1.0/24', 'eni-1'));
  world.leases.put(lease(1));
  await world.sync();
  const routedIn = () => world.maps.current?.leases[0]?.routedIn;
  assert.deepEqual(routedIn(), [...tableIds]);
  world.tables.lag('rtb-2', 0);
  world.tables.uproot('rtb-2', '10.244.1.0/24');
  await world.sync({ deadline: world.clock.now() });
  assert.deepEqual(routedIn(), [...tableIds], 'one reading is not enough');
  world.clock.advance(6_000);
  await world.sync({ deadline: world.clock.now() });
  assert.deepEqual(routedIn(), ['rtb-1', 'rtb-3']);
  world.tables.plant('rtb-2', rowOf('10.244.1.0/24', 'eni-1'));
  for (const seconds of [10, 10, 10]) {
    world.clock.advance(seconds * 1000);
    await world.sync({ deadline: world.clock.now() });
  }
  assert.deepEqual(routedIn(), ['rtb-1', 'rtb-3'], 'not within a minute');
  world.clock.advance(60_000);
  await world.sync();
  assert.deepEqual(routedIn(), [...tableIds]);
});

test('a live lease that leaves the chosen set keeps its route until the nodes know', async () => {
  const world = new SyncWorld(netConf({ RouteLimit: 3 }, { Fallback: { Type: 'vxlan' } }));
  await world.settle(lease(1), lease(2), lease(3));
  world.leases.configure(netConf({ RouteLimit: 2 }, { Fallback: { Type: 'vxlan' } }));
  await world.sync();
  assert.equal(world.count('DeleteRoute'), 0);
  assert.deepEqual(world.maps.current?.leases[2]?.routedIn, []);
  world.clock.advance(10_000);
  await world.sync();
  assert.equal(world.count('DeleteRoute'), 0, 'before three polls');
  world.clock.advance(5_000);
  await world.sync();
  assert.deepEqual(
    world.writes().sort(),
    tableIds.map((id) => `DeleteRoute ${id} 10.244.3.0/24`),
  );
});

test('a table that is given up keeps the routes of live leases until the nodes know, and loses the others at once', async (t) => {
  const Fallback = { Type: 'vxlan', DirectRouting: true };
  const cases = {
    'one table of three': [
      netConf({ Retired: [{ RouteTableID: 'rtb-3' }] }, { RouteTableID: ['rtb-1', 'rtb-2'], Fallback }),
      ['rtb-3'],
    ],
    'all tables, for plain vxlan': [
      { ...netConf({ Retired: [{ RouteTableID: tableIds }] }), Backend: Fallback },
      [...tableIds],
    ],
  } as const;
  for (const [name, [next, given]] of Object.entries(cases)) {
    await t.test(name, async () => {
      const world = new SyncWorld(netConf({}, { Fallback }));
      await world.settle(lease(1), lease(2));
      world.leases.put(inState(2, 'released'));
      world.leases.configure(next);
      await world.sync();
      const released = world.writes().filter((write) => write.endsWith(' 10.244.2.0/24'));
      assert.equal(released.length, 3);
      assert.deepEqual(world.writes().length, 3, 'of a lease that is gone no packet is waiting');
      assert.ok(!world.maps.current?.leases[0]?.routedIn.some((id) => (given as readonly string[]).includes(id)));
      world.forget();
      world.clock.advance(10_000);
      await world.sync();
      assert.deepEqual(world.writes(), [], 'before three polls');
      world.clock.advance(5_000);
      await world.sync();
      assert.deepEqual(
        world.writes().sort(),
        given.map((id) => `DeleteRoute ${id} 10.244.1.0/24`),
      );
    });
  }
});
