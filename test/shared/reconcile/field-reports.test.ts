/** Field reports that one sync on fakes answers, by the id of the report. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignRow, rowOf } from '../../fakes/reconcile/route-tables.ts';
import { inState, lease, SyncWorld, tableIds } from './sync-world.ts';

/** EC2's bucket of an action that writes: calls at once, and calls a second after that (EC2 API request throttling). */
const burst = 50;
const refillPerSecond = 5;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const perTable = (write: string) => tableIds.map((id) => write.replace('rtb', id));

test('A5: a lease that ends takes its route out of every table, with no node starting and no other event', async () => {
  const world = new SyncWorld();
  await world.settle(lease(5), lease(6));
  world.leases.put(inState(5, 'expired'));
  await world.sync();
  assert.deepEqual(world.writes().sort(), perTable('DeleteRoute rtb 10.244.5.0/24'));
});

test('A5: so does a lease whose item is gone without a trace', async () => {
  const world = new SyncWorld();
  await world.settle(...numbers(6).map((n) => lease(n)));
  world.leases.drop('10.244.5.0/24');
  await world.sync();
  assert.deepEqual(world.writes().sort(), perTable('DeleteRoute rtb 10.244.5.0/24'));
});

test('A13: a route to another ENI is replaced, never created over, and counts as replaced', async () => {
  const world = new SyncWorld();
  await world.settle(lease(6));
  world.tables.interfaces('attached', 'eni-new');
  world.leases.put(lease(6, { eniId: 'eni-new' }));
  const { report } = await world.sync();
  assert.equal(world.count('CreateRoute'), 0);
  for (const table of report.tables) assert.equal(`${table.created} ${table.replaced} ${table.deleted}`, '0 1 0');
  for (const id of tableIds) assert.ok(world.tables.text(id).includes('10.244.6.0/24 -> eni-new active'));
});

test('A13: a write that answers well and changes nothing is not said to be done', async () => {
  const world = new SyncWorld();
  await world.settle(lease(6));
  world.tables.interfaces('attached', 'eni-new');
  world.leases.put(lease(6, { eniId: 'eni-new' }));
  const replace = world.tables.replace.bind(world.tables);
  world.tables.replace = async (tableId, destination, eniId) => {
    if (tableId !== 'rtb-2') await replace(tableId, destination, eniId);
  };
  const { report } = await world.sync();
  assert.deepEqual(
    report.tables.map(({ status }) => status === 'ok'),
    [true, false, true],
  );
  world.tables.replace = replace;
  world.forget();
  world.clock.advance(60_000);
  await world.sync();
  assert.deepEqual(world.writes(), ['ReplaceRoute rtb-2 10.244.6.0/24 eni-new']);
});

test('B2: another ENI under an unchanged subnet is one replace a table', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.interfaces('attached', 'eni-moved');
  world.leases.put(lease(1, { eniId: 'eni-moved', nodeIp: '10.0.9.9' }));
  await world.sync();
  assert.deepEqual(world.writes().sort(), perTable('ReplaceRoute rtb 10.244.1.0/24 eni-moved'));
});

test('C1: every listed table gets the same routes', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1', 'eni-2');
  world.leases.put(lease(1), lease(2));
  await world.sync();
  assert.equal(world.count('CreateRoute'), 6);
  const [first, ...others] = tableIds.map((id) => world.tables.text(id));
  assert.equal(first?.filter((row) => row.startsWith('10.244.')).length, 2);
  for (const other of others) assert.deepEqual(other, first);
});

test('C6: subnets without an association of their own count to the main table', async () => {
  const world = new SyncWorld();
  for (const id of ['rtb-1', 'rtb-main']) world.tables.removeTable(id);
  world.tables.addTable({ id: 'rtb-1', isMain: true });
  world.tables.removeTable('rtb-2');
  world.tables.addTable({ id: 'rtb-2', subnetIds: ['subnet-2'] });
  await world.settle(lease(1), lease(2, { subnetId: 'subnet-2' }));
  const subnets = new Map(world.maps.current?.tables.map((table) => [table.id, table.subnets]));
  assert.deepEqual(subnets.get('rtb-1'), ['subnet-1']);
  assert.deepEqual(subnets.get('rtb-2'), ['subnet-2']);
  assert.deepEqual(subnets.get('rtb-3'), []);
});

test('E4: two hundred leases come to rest under EC2 budget, with no call that was throttled', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', ...numbers(200).map((n) => lease(n).eniId));
  world.leases.put(...numbers(200).map((n) => lease(n)));
  // EC2's bucket, by the same clock: a call beyond it is refused.
  let bucket = { tokens: burst, at: world.clock.now() };
  let worst = burst;
  world.tables.onWrite = () => {
    const now = world.clock.now();
    bucket = { tokens: Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * refillPerSecond) - 1, at: now };
    worst = Math.min(worst, bucket.tokens);
  };
  let passes = 0;
  for (let more = true; more && passes < 20; passes += 1) {
    ({ more } = (await world.sync({ deadline: world.clock.now() + 90_000 })).report);
  }
  assert.ok(worst > -0.01, `the bucket was overdrawn to ${worst}`);
  assert.equal(world.writes().length, 600);
  assert.ok(world.count('DescribeRouteTables') <= 3 * passes, 'reads go by passes, not by writes');
});

test('E4: a throttled table is tried again at growing gaps, a bounded number of times', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1));
  world.tables.faults.add({ action: 'CreateRoute', resource: 'rtb-2', meaning: 'throttled', times: 1000 });
  world.tables.interfaces('attached', ...numbers(50).map((n) => lease(n).eniId));
  for (const n of numbers(50)) world.leases.put(lease(n));
  const tries: number[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    world.forget();
    await world.sync();
    tries.push(world.writes().filter((write) => write.startsWith('CreateRoute rtb-2')).length);
    world.clock.advance(60_000);
  }
  const busy = tries.flatMap((count, minute) => (count > 0 ? [minute] : []));
  const gaps = busy.slice(1).map((minute, at) => minute - (busy[at] ?? 0));
  assert.ok(Math.max(...tries) <= 4, `${tries}`);
  assert.deepEqual([...gaps].sort((a, b) => a - b).slice(0, -1), gaps.slice(0, -1), 'gaps grow');
  assert.ok(busy.length <= 10, `${busy}`);
});

test('E5: ten routes that move are ten replaces and not one refused create', async () => {
  const world = new SyncWorld();
  for (const id of tableIds) world.tables.plant(id, ...numbers(10).map((n) => rowOf(`10.244.${n}.0/24`, 'eni-old')));
  world.tables.interfaces('attached', 'eni-old', ...numbers(10).map((n) => lease(n).eniId));
  world.leases.put(...numbers(10).map((n) => lease(n)));
  await world.sync();
  assert.equal(world.count('ReplaceRoute'), 30);
  assert.equal(world.writes().length, 30);
});

test('E12: a subnet that moves is never without a route, also when every write fails after the fifth', async () => {
  const world = new SyncWorld();
  await world.settle(...numbers(10).map((n) => lease(n)));
  world.tables.interfaces('attached', ...numbers(10).map((n) => `eni-to-${n}`));
  world.leases.put(...numbers(10).map((n) => lease(n, { eniId: `eni-to-${n}` })));
  for (const action of ['CreateRoute', 'ReplaceRoute', 'DeleteRoute'])
    world.tables.faults.add({ action, resource: 'rtb-1', meaning: 'transient', after: 5, times: 1000 });
  await world.sync();
  assert.equal(world.count('DeleteRoute'), 0);
  const destinations = world.tables.text('rtb-1').filter((row) => row.startsWith('10.244.'));
  assert.equal(destinations.length, 10);
  assert.equal(destinations.filter((row) => row.includes('eni-to-')).length, 5);
});

test('E14: a route that is absent is created', async () => {
  const world = new SyncWorld();
  world.tables.interfaces('attached', 'eni-1');
  world.leases.put(lease(1));
  await world.sync();
  assert.deepEqual(world.writes().sort(), perTable('CreateRoute rtb 10.244.1.0/24 eni-1'));
});

test('E1: a limit that was learned from an old reading costs no working route', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.interfaces('attached', 'eni-3');
  world.tables.limits.set('rtb-1', 3);
  // Somebody else takes the last place, and the next reading does not show it yet.
  world.tables.plant('rtb-1', rowOf('172.16.0.0/16', 'eni-vpn'));
  world.tables.lag('rtb-1', 1);
  world.leases.put(lease(3));
  await world.sync();
  for (let round = 0; round < 3; round += 1) {
    world.clock.advance(60_000);
    await world.sync();
  }
  assert.equal(world.count('DeleteRoute'), 0);
  assert.ok(world.tables.text('rtb-1').includes('10.244.2.0/24 -> eni-2 active'));
});

test('P1: a node whose VPC subnet uses a table that is not listed is told in every report, by that table', async () => {
  const world = new SyncWorld();
  world.tables.addTable({ id: 'rtb-public', subnetIds: ['subnet-9'] });
  world.tables.addTable({ id: 'rtb-1', subnetIds: ['subnet-1'] });
  await world.settle(lease(1), lease(2, { subnetId: 'subnet-9' }), lease(3, { subnetId: 'subnet-8' }));
  const { report } = await world.sync();
  assert.deepEqual(
    [report.status, report.cutOff],
    ['ok', ['subnet-8 uses rtb-main, which is not listed', 'subnet-9 uses rtb-public, which is not listed']],
  );
});

test('P6: a range that the VPC is given later, inside the network, stops the sync by name and takes no route away', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  const before = tableIds.map((id) => world.tables.text(id));
  world.tables.plant('rtb-2', foreignRow('10.244.128.0/17', 'local', 'CreateRouteTable'));
  world.leases.put(inState(2, 'released'), lease(3));
  const { report } = await world.sync();
  assert.equal(report.status, 'failed');
  assert.match(report.message ?? '', /10\.244\.0\.0\/16.*10\.244\.128\.0\/17|10\.244\.128\.0\/17.*10\.244\.0\.0\/16/);
  world.tables.uproot('rtb-2', '10.244.128.0/17');
  assert.deepEqual(
    tableIds.map((id) => world.tables.text(id)),
    before,
  );
});
