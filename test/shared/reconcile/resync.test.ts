import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignRow, rowOf } from '../../fakes/reconcile/route-tables.ts';
import { inState, lease, SyncWorld, tableIds } from './sync-world.ts';

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
