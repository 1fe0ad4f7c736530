import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCovered } from '../../../shared/reconcile/covered.ts';
import { readState } from '../../../shared/reconcile/sync-state.ts';
import { foreignRow, rowOf } from '../../fakes/reconcile/route-tables.ts';
import { inState, lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

test('three tables and five leases: the first sync makes fifteen creates and the second none', async () => {
  const world = new SyncWorld();
  const leases = [1, 2, 3, 4, 5].map((n) => lease(n));
  world.tables.interfaces('attached', ...leases.map((each) => each.eniId));
  world.leases.put(...leases);
  const { report } = await world.sync();
  assert.equal(report.status, 'ok');
  assert.equal(world.count('CreateRoute'), 15);
  assert.equal(world.writes().length, 15);
  world.forget();
  await world.sync();
  assert.deepEqual(world.writes(), []);
});

test('a quiet sync makes one call, and one that wrote makes one more to confirm', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  await world.sync();
  assert.deepEqual(
    world.tables.calls.map(({ action }) => action),
    ['DescribeRouteTables'],
  );
  world.forget();
  world.tables.interfaces('attached', 'eni-2');
  world.leases.put(lease(2));
  await world.sync();
  assert.equal(world.count('DescribeRouteTables'), 2);
  assert.equal(world.count('CreateRoute'), 3);
});

test('the very first sync reads the listed tables once before and once after its creates', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  await world.sync();
  assert.equal(world.count('DescribeRouteTables'), 2);
});

test('tables of another VPC than before are found by their ids', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  for (const id of [...tableIds, 'rtb-main']) world.tables.removeTable(id);
  for (const id of tableIds) world.tables.addTable({ id, vpcId: 'vpc-2' });
  assert.equal((await world.sync()).report.status, 'ok');
  assert.equal(world.count('CreateRoute'), 3);
});

test('a join is three creates, a leave three deletes, an ENI change three replaces', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.leases.put(inState(2, 'released'));
  await world.sync();
  assert.deepEqual(
    world.writes().sort(),
    tableIds.map((id) => `DeleteRoute ${id} 10.244.2.0/24`),
  );
  world.forget();
  world.tables.interfaces('attached', 'eni-99');
  world.leases.put(lease(1, { eniId: 'eni-99' }));
  await world.sync();
  assert.deepEqual(
    world.writes().sort(),
    tableIds.map((id) => `ReplaceRoute ${id} 10.244.1.0/24 eni-99`),
  );
});

test('F9, P7: a route deleted by hand comes back with the next sync, and counts as drift', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.uproot('rtb-2', '10.244.1.0/24');
  const { report } = await world.sync();
  assert.deepEqual(world.writes(), ['CreateRoute rtb-2 10.244.1.0/24 eni-1']);
  assert.equal(report.drift, 1);
});

test('one table failing leaves the others right, names table and action, and the next run repairs only it', async (t) => {
  const cases = [
    { meaning: 'throttled', times: 100 },
    { meaning: 'transient', times: 100 },
    { meaning: 'denied', times: 100 },
    { meaning: 'no-table', times: 100 },
  ] as const;
  for (const { meaning, times } of cases) {
    await t.test(meaning, async () => {
      const world = new SyncWorld();
      await world.settle(lease(1));
      world.tables.faults.add({ action: 'CreateRoute', resource: 'rtb-2', meaning, times });
      world.tables.interfaces('attached', 'eni-2');
      world.leases.put(lease(2));
      const { report } = await world.sync();
      assert.equal(report.status, 'partial');
      const failing = report.tables.find(({ id }) => id === 'rtb-2');
      assert.equal(failing?.status, 'failed');
      assert.equal(failing?.failures[0]?.action, 'CreateRoute');
      assert.equal(failing?.failures[0]?.destination, '10.244.2.0/24');
      for (const id of ['rtb-1', 'rtb-3']) assert.ok(world.tables.text(id).includes('10.244.2.0/24 -> eni-2 active'));
      world.tables.faults.clear();
      world.forget();
      world.clock.advance(60_000);
      const next = await world.sync();
      assert.equal(next.report.status, 'ok');
      assert.deepEqual(world.writes(), ['CreateRoute rtb-2 10.244.2.0/24 eni-2']);
    });
  }
});

test('E10: a missing permission is one attempt, named with action and table', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.faults.add({ action: 'ReplaceRoute', resource: 'rtb-2', meaning: 'denied', times: 100 });
  world.tables.interfaces('attached', 'eni-9', 'eni-a');
  world.leases.put(lease(1, { eniId: 'eni-9' }));
  const { report, events } = await world.sync();
  assert.equal(world.writes().filter((write) => write.startsWith('ReplaceRoute rtb-2')).length, 1);
  const told = JSON.stringify(events.filter(({ detailType }) => detailType === 'Route Sync Failed'));
  assert.match(told, /ReplaceRoute/);
  assert.match(told, /rtb-2/);
  assert.equal(report.tables[1]?.failures[0]?.permanent, true);
});

test('a write whose answer is lost is done, whatever it was', async (t) => {
  for (const action of ['CreateRoute', 'ReplaceRoute', 'DeleteRoute'] as const) {
    await t.test(action, async () => {
      const world = new SyncWorld();
      await world.settle(lease(1), lease(2));
      world.tables.interfaces('attached', 'eni-3', 'eni-77');
      world.tables.faults.add({ action, resource: 'rtb-1', meaning: 'transient', when: 'after' });
      world.leases.put(lease(3), lease(1, { eniId: 'eni-77' }), inState(2, 'released'));
      const { report } = await world.sync();
      assert.equal(report.status, 'ok');
      assert.deepEqual(world.tables.text('rtb-1'), world.tables.text('rtb-3'));
      world.forget();
      await world.sync();
      assert.deepEqual(world.writes(), []);
    });
  }
});

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

test('an emptied or half restored lease table removes nothing from tables or map', async (t) => {
  for (const nodes of [3, 8, 100]) {
    for (const kept of [0, Math.floor(nodes / 2)]) {
      await t.test(`${nodes} nodes, ${kept} left`, async () => {
        const world = new SyncWorld();
        const leases = Array.from({ length: nodes }, (_, n) => lease(n + 1));
        await world.settle(...leases);
        const before = tableIds.map((id) => world.tables.text(id));
        const map = JSON.stringify(world.maps.current?.leases);
        world.leases.drop(...leases.slice(kept).map((each) => each.subnet.text));
        world.leases.counter = kept; // a restore brings back the counter of its time
        const { report, events } = await world.sync();
        assert.equal(report.status, 'refused');
        assert.deepEqual(world.writes(), []);
        assert.deepEqual(
          tableIds.map((id) => world.tables.text(id)),
          before,
        );
        assert.equal(JSON.stringify(world.maps.current?.leases), map);
        assert.equal(events.filter(({ detailType }) => detailType === 'Route Sync Refused').length, 1);
        // The digest lets through exactly what was shown.
        const forced = await world.sync({ force: report.guard.digest, isManual: true });
        assert.equal(forced.report.guard.refused, false);
        assert.equal(world.count('DeleteRoute'), 3 * (nodes - kept));
        assert.equal(world.maps.current?.leases.length, kept);
        world.clock.advance(60_000);
        assert.equal((await world.sync()).report.status, 'ok');
      });
    }
  }
});

test("two of three leases gone without a tombstone are a hole, one can be an operator's hand", async () => {
  for (const [gone, status] of [
    [1, 'ok'],
    [2, 'refused'],
  ] as const) {
    const world = new SyncWorld();
    await world.settle(lease(1), lease(2), lease(3));
    world.leases.drop(...[lease(1), lease(2)].slice(0, gone).map((each) => each.subnet.text));
    const { report } = await world.sync();
    assert.equal(report.status, status);
    assert.equal(world.count('DeleteRoute'), gone === 1 ? 3 : 0);
    assert.equal(world.maps.current?.leases.length, gone === 1 ? 2 : 3);
  }
});

test('a nightly scale-in from a hundred nodes to ten is not held back', async () => {
  const world = new SyncWorld();
  await world.settle(...Array.from({ length: 100 }, (_, n) => lease(n + 1)));
  world.leases.put(...Array.from({ length: 90 }, (_, n) => inState(n + 11, 'released')));
  let more = true;
  for (let pass = 0; more && pass < 10; pass += 1) {
    ({ more } = (await world.sync()).report);
    world.clock.advance(1000);
  }
  for (const id of tableIds) assert.equal(world.tables.text(id).length, 11);
  assert.equal(world.maps.current?.leases.length, 10);
});

test('a lease that moves before the first deletion makes a new plan', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.leases.put(inState(2, 'withdrawn'));
  world.tables.interfaces('attached', 'eni-3');
  world.leases.put(lease(3));
  let restored = false;
  world.tables.onWrite = () => {
    if (restored) return;
    restored = true;
    world.leases.put(lease(2));
  };
  const { report } = await world.sync();
  assert.equal(world.count('DeleteRoute'), 0);
  assert.ok(world.tables.text('rtb-1').includes('10.244.2.0/24 -> eni-2 active'));
  assert.equal(report.status, 'ok');
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

test('C7: a listed table that is missing is named, and the others are served', async () => {
  const world = new SyncWorld();
  world.tables.removeTable('rtb-3');
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  const { report } = await world.sync();
  assert.equal(report.status, 'partial');
  assert.equal(report.tables[2]?.status, 'missing');
  assert.match(report.tables[2]?.failures[0]?.message ?? '', /rtb-3/);
  assert.equal(world.count('CreateRoute'), 2);
});

test('tables of two VPCs are a named error before any write', async () => {
  const world = new SyncWorld();
  world.tables.removeTable('rtb-3');
  world.tables.addTable({ id: 'rtb-3', vpcId: 'vpc-2' });
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  const { report } = await world.sync();
  assert.equal(report.status, 'failed');
  assert.match(report.message ?? '', /vpc-2.*vpc-1.*rtb-3/);
  assert.deepEqual(world.writes(), []);
});

test('F3: a table that does not exist yet for two reads is served in the same sync', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.interfaces('attached', 'eni-2');
  world.tables.faults.add({ action: 'CreateRoute', resource: 'rtb-2', meaning: 'no-table', times: 2 });
  world.leases.put(lease(2));
  assert.equal((await world.sync()).report.status, 'ok');
});

test('a destination that somebody else takes meanwhile is a conflict and stays theirs', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.interfaces('attached', 'eni-2');
  world.leases.put(lease(2));
  let taken = false;
  world.tables.onWrite = () => {
    if (taken) return;
    taken = true;
    world.tables.plant('rtb-3', foreignRow('10.244.2.0/24', 'nat-9'));
  };
  const { report } = await world.sync();
  assert.ok(world.tables.text('rtb-3').includes('10.244.2.0/24 -> nat-9 active'));
  assert.match(report.tables[2]?.failures[0]?.message ?? '', /rtb-3.*nat-9/);
});

test('repairs come before what is missing, and garbage comes last', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.interfaces('attached', 'eni-3', 'eni-99');
  world.leases.put(lease(1, { eniId: 'eni-99' }), inState(2, 'released'), lease(3));
  await world.sync();
  assert.deepEqual(
    world.writes().filter((write) => write.includes('rtb-1')),
    [
      'ReplaceRoute rtb-1 10.244.1.0/24 eni-99',
      'CreateRoute rtb-1 10.244.3.0/24 eni-3',
      'DeleteRoute rtb-1 10.244.2.0/24',
    ],
  );
});

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

test('what was written and cannot be seen yet is pending, and is looked for again', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.interfaces('attached', 'eni-2');
  world.leases.put(lease(2));
  // The first read of the sync is current; the two after its writes are old.
  world.tables.onWrite = (call) => {
    if (call.resource === 'rtb-2') world.tables.lag('rtb-2', 2);
  };
  const { report } = await world.sync();
  assert.equal(report.status, 'ok');
  assert.equal(world.count('DescribeRouteTables'), 4);
});

test('E13: a long update stops cleanly, and later passes finish it without doing anything twice', async () => {
  const world = new SyncWorld();
  world.tables.onWrite = () => world.clock.advance(200);
  const leases = Array.from({ length: 130 }, (_, n) => lease(n + 1));
  world.tables.interfaces('attached', ...leases.map((each) => each.eniId));
  world.leases.put(...leases);
  let passes = 0;
  for (let more = true; more && passes < 20; passes += 1) {
    ({ more } = (await world.sync({ deadline: world.clock.now() + 20_000 })).report);
  }
  assert.ok(passes > 2);
  assert.equal(world.count('CreateRoute'), 390);
  for (const id of tableIds) assert.equal(world.tables.text(id).length, 131);
});

test('E9: one bad row stops no other, and rests alone', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.interfaces('attached', 'eni-2', 'eni-4');
  world.leases.put(lease(2), lease(3, { eniId: 'eni-unknown' }), lease(4));
  world.tables.faults.add({ action: 'CreateRoute', resource: 'rtb-1', meaning: 'invalid', after: 1 });
  const { report } = await world.sync();
  assert.equal(report.tables[0]?.created, 2);
  assert.equal(report.tables[0]?.failures.length, 1);
});

test('a live lease whose ENI is not in use is replaced once and then left alone for a while', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.interfaces('stopped', 'eni-2');
  const { report } = await world.sync();
  assert.equal(world.count('ReplaceRoute'), 3);
  assert.equal(report.tables[0]?.failures[0]?.code, 'StillBlackhole');
  world.forget();
  await world.sync();
  assert.deepEqual(world.writes(), []);
});

test('foreign rows of every kind are never named by a write', async () => {
  const world = new SyncWorld();
  const foreign = [
    foreignRow('0.0.0.0/0', 'nat-1'),
    rowOf('10.244.0.0/16', 'eni-x'),
    rowOf('10.0.0.0/8', 'eni-x'),
    rowOf('10.244.7.0/25', 'eni-x'),
    foreignRow('10.244.8.0/24', 'nat-2'),
    rowOf('10.245.1.0/24', 'eni-x'),
    rowOf('172.20.0.0/16', 'eni-x', 'blackhole'),
    { ...rowOf('10.244.9.0/24', 'eni-x'), origin: 'EnableVgwRoutePropagation' },
  ];
  for (const id of tableIds) world.tables.plant(id, ...foreign);
  const before = world.tables.text('rtb-1');
  await world.settle(lease(1), lease(2));
  world.leases.put(inState(1, 'released'), inState(2, 'released'));
  await world.sync();
  assert.deepEqual(world.tables.text('rtb-1'), before);
});
