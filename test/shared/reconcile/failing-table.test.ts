import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignRow } from '../../fakes/reconcile/route-tables.ts';
import { inState, lease, SyncWorld } from './sync-world.ts';

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
