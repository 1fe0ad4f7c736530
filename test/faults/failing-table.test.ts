import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

// Not the test's own calls.
const byFunctions = { caller: 'SyncRoutesFunction' };
const write = { service: 'ec2', match: { RouteTableId: 'rtb-b' }, ...byFunctions };
const all = ['CreateRoute', 'ReplaceRoute', 'DeleteRoute'];

interface TableReport {
  readonly id: string;
  readonly failures: readonly unknown[];
  readonly overflow: readonly string[];
}

interface Case {
  readonly name: string;
  /** Faults on table rtb-b; null: a quota. */
  readonly faults: readonly object[] | null;
  /** What the report must name; null: nothing fails in the end. */
  readonly names: RegExp | null;
}

const cases: readonly Case[] = [
  {
    name: 'throttled',
    faults: all.map((action) => ({ ...write, action, error: 'RequestLimitExceeded', status: 503, times: 'always' })),
    names: /RequestLimitExceeded/,
  },
  {
    name: 'unknown id',
    faults: all.map((action) => ({ ...write, action, error: 'InvalidRouteTableID.NotFound', times: 'always' })),
    names: /InvalidRouteTableID\.NotFound/,
  },
  {
    name: 'access denied',
    faults: all.map((action) => ({ ...write, action, error: 'UnauthorizedOperation', status: 403, times: 'always' })),
    names: /UnauthorizedOperation/,
  },
  { name: 'quota full', faults: null, names: /RouteLimitExceeded/ },
  {
    name: 'time-out whose create worked',
    faults: [{ ...write, action: 'CreateRoute', after: true, times: 1 }],
    names: null,
  },
];

for (const { name, faults, names } of cases) {
  test(`a table that is ${name} leaves the others right and is repaired alone`, async (t) => {
    const stage = await Stage.start(t, { nodes: 2 });
    const [first] = await stage.join(instanceId(1));
    await stage.idle();
    if (faults === null)
      await stage.control('POST', 'ec2', {
        op: 'setRouteLimit',
        RouteTableId: 'rtb-b',
        limit: stage.rows('rtb-b').length - 3,
      });
    else await stage.fault(...faults, ...faults.map((fault) => ({ ...fault, caller: 'ResyncFunction' })));
    const [second] = await stage.join(instanceId(2));
    await stage.idle();
    const rows = [`${first?.subnet} ${eniId(1)} active`, `${second?.subnet} ${eniId(2)} active`].sort();
    for (const id of ['rtb-a', 'rtb-c']) assert.deepEqual(stage.ours(id), rows, id);
    if (names === null) {
      assert.deepEqual(stage.ours('rtb-b'), rows);
      return;
    }
    // The first sync named what failed; a full table is known as such from then on, the others are tried again by hand.
    const log = JSON.stringify(await stage.control('GET', 'functions'));
    assert.match(log, /CreateRoute on rtb-b failed/);
    assert.match(log, names);
    const report = await stage.resync();
    const table = (report['tables'] as TableReport[]).find(({ id }) => id === 'rtb-b');
    if (faults === null) {
      assert.deepEqual(table?.overflow, [second?.subnet]);
    } else {
      assert.equal(report['status'], 'partial');
      assert.match(JSON.stringify(table?.failures), names);
    }
    await stage.control('DELETE', 'faults');
    await stage.control('POST', 'ec2', { op: 'setRouteLimit', RouteTableId: 'rtb-b', limit: 500 });
    stage.forget();
    await stage.advance(faults === null ? 86_400 : 900);
    await stage.schedule('SyncScheduleRule');
    assert.deepEqual(stage.writes(), [`CreateRoute rtb-b ${second?.subnet}`]);
    for (const id of tableIds) assert.deepEqual(stage.ours(id), rows, id);
  });
}

test('a table whose creates are refused still loses the routes of the dead', async (t) => {
  const stage = await Stage.start(t, { nodes: 3 });
  const [first, second] = await stage.join(instanceId(1), instanceId(2));
  await stage.idle();
  await stage.fault({ ...write, action: 'CreateRoute', error: 'UnauthorizedOperation', status: 403, times: 'always' });
  const [third] = await stage.join(instanceId(3));
  await stage.idle();
  await stage.event(instanceId(2), 'terminated', stage.now());
  await stage.idle();
  const rows = [`${first?.subnet} ${eniId(1)} active`, `${third?.subnet} ${eniId(3)} active`].sort();
  assert.deepEqual(stage.ours('rtb-a'), rows);
  assert.deepEqual(
    stage.ours('rtb-b'),
    rows.filter((row) => row.includes(eniId(1))),
    `${second?.subnet} is gone`,
  );
});

test('a time-out whose replace or delete worked is no failure', async (t) => {
  const stage = await Stage.start(t, { nodes: 2 });
  const [first] = await stage.join(instanceId(1), instanceId(2));
  await stage.idle();
  await stage.fault(
    { ...write, action: 'ReplaceRoute', after: true },
    { ...write, action: 'DeleteRoute', after: true },
  );
  const dead = { NetworkInterfaceId: 'eni-0dead', Origin: 'CreateRoute', State: 'blackhole' };
  for (const id of tableIds) await stage.plant(id, { DestinationCidrBlock: first?.subnet ?? '', ...dead });
  await stage.event(instanceId(2), 'terminated', stage.now());
  await stage.schedule('SyncScheduleRule');
  await stage.idle();
  for (const id of tableIds) assert.deepEqual(stage.ours(id), [`${first?.subnet} ${eniId(1)} active`], id);
  const report = await stage.resync();
  assert.equal(report['status'], 'ok');
});

test('two hours of EC2 outage end without a human and without a dead letter', async (t) => {
  const stage = await Stage.start(t, { nodes: 4 });
  const [first, second] = await stage.join(instanceId(1), instanceId(2));
  await stage.idle();
  await stage.fault(
    { service: 'ec2', error: 'Unavailable', status: 503, times: 'always', caller: 'SyncRoutesFunction' },
    { service: 'ec2', error: 'Unavailable', status: 503, times: 'always', caller: 'KeepLeasesFunction' },
  );
  await stage.event(instanceId(2), 'terminated', stage.now());
  await stage.claim(instanceId(3), 'during the outage');
  await stage.idle();
  for (let minutes = 0; minutes < 120; minutes += 10) {
    await stage.advance(600);
    await stage.schedule('SyncScheduleRule');
    await stage.schedule('SweepScheduleRule');
  }
  assert.deepEqual(
    stage
      .ours('rtb-a')
      .map((row) => row.split(' ')[0])
      .sort(),
    [first?.subnet, second?.subnet].sort(),
  );
  await stage.control('DELETE', 'faults');
  // The agent repeats its claim, the schedules tick: nobody else does anything.
  await stage.claim(instanceId(3), 'after the outage');
  await stage.idle();
  await stage.advance(900);
  await stage.schedule('SyncScheduleRule');
  await stage.schedule('SweepScheduleRule');
  await stage.idle();
  const third = await stage.answer(instanceId(3));
  assert.equal(third?.status, 'granted');
  const rows = [`${first?.subnet} ${eniId(1)} active`, `${third?.subnet} ${eniId(3)} active`].sort();
  for (const id of tableIds) assert.deepEqual(stage.ours(id), rows, id);
  const queues = (await stage.control('GET', 'queues')) as Record<string, unknown>;
  for (const [name, queue] of Object.entries(queues)) {
    if (/dead|failures|rejects/i.test(name)) assert.deepEqual((queue as { bodies?: unknown[] }).bodies ?? [], [], name);
  }
});
