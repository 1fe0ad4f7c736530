/** Field reports that take the whole product: events, streams, functions and EC2 together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplaceRouteTableAssociationCommand } from '@aws-sdk/client-ec2';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { eniId, instance, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test('A5: the item of a lease that is removed is enough: its route goes from every table', async (t) => {
  const stage = await Stage.start(t, { nodes: 5 });
  const answers = await stage.join(...[1, 2, 3, 4, 5].map(instanceId));
  await stage.idle();
  const [item] = await stage.items('leases', `lease#${answers[4]?.subnet}`);
  stage.forget();
  await stage.dynamo.send(
    new DeleteCommand({ TableName: stage.names.leases, Key: { pk: item?.['pk'], sk: item?.['sk'] } }),
  );
  await stage.idle();
  assert.deepEqual(
    stage.writes(),
    tableIds.map((id) => `DeleteRoute ${id} ${answers[4]?.subnet}`),
  );
});

test('A14: the dead id in a blackhole is never asked for', async (t) => {
  const stage = await Stage.start(t, { nodes: 1 });
  const [answer] = await stage.join(instanceId(1));
  await stage.idle();
  const dead = { NetworkInterfaceId: 'eni-0gone', InstanceId: 'i-0gone', Origin: 'CreateRoute', State: 'blackhole' };
  await stage.plant('rtb-a', { DestinationCidrBlock: answer?.subnet ?? '', ...dead });
  await stage.plant('rtb-b', { DestinationCidrBlock: '10.244.77.0/24', ...dead });
  stage.forget();
  await stage.schedule('SweepScheduleRule');
  await stage.schedule('SyncScheduleRule');
  const told = JSON.stringify(
    stage.calls().filter(({ service, function: by }) => service === 'ec2' && by !== undefined),
  );
  assert.match(told, /DescribeNetworkInterfaces/);
  assert.doesNotMatch(told, /0gone/);
  for (const id of tableIds) assert.deepEqual(stage.ours(id), [`${answer?.subnet} ${eniId(1)} active`], id);
});

test("B13: a node's address is the private one of its interface, whatever its public one", async (t) => {
  const stage = await Stage.start(t, { nodes: 0 });
  const json = instance(1);
  const [primary] = json.NetworkInterfaces;
  const publicly = { PublicIp: '198.51.100.7', PublicDnsName: 'x', IpOwnerId: 'amazon' };
  stage.sandbox.ec2.seed({
    instances: [
      { ...json, PublicIpAddress: '198.51.100.7', NetworkInterfaces: [{ ...primary, Association: publicly }] },
    ],
  });
  const [answer] = await stage.joinWanting({ nodeIp: '198.51.100.7', publicIp: '198.51.100.7' }, instanceId(1));
  await stage.idle();
  const [lease] = await stage.items('leases', `lease#${answer?.subnet}`);
  assert.equal(lease?.['nodeIp'], json.PrivateIpAddress);
  assert.doesNotMatch(JSON.stringify(await stage.items('map', '')), /198\.51\.100\.7/);
});

test('C6: a listed table that is the main one for its subnets is kept like any other', async (t) => {
  const stage = await Stage.start(t, { nodes: 2 });
  // The main association moves to a listed table; nothing names that table's subnets any more.
  await stage.ec2.send(
    new ReplaceRouteTableAssociationCommand({ AssociationId: 'rtbassoc-main', RouteTableId: 'rtb-a' }),
  );
  const [answer] = await stage.join(instanceId(1));
  await stage.idle();
  for (const id of tableIds) assert.deepEqual(stage.ours(id), [`${answer?.subnet} ${eniId(1)} active`], id);
  assert.equal(JSON.stringify(stage.rows('rtb-public')).includes('10.244.'), false);
});

test('F8: one event that comes twice at once makes the writes of one', async (t) => {
  const stage = await Stage.start(t, { nodes: 3 });
  const answers = await stage.join(...[1, 2, 3].map(instanceId));
  await stage.idle();
  await stage.control('POST', 'deliveries', { twice: true });
  stage.forget();
  const second = stage.now();
  await Promise.all([1, 2, 3].map(() => stage.event(instanceId(2), 'terminated', second)));
  await stage.idle();
  assert.deepEqual(
    stage.writes(),
    tableIds.map((id) => `DeleteRoute ${id} ${answers[1]?.subnet}`),
  );
  const failed = stage.calls().filter(({ action, outcome }) => /Route$/.test(action) && outcome?.error !== undefined);
  assert.deepEqual(failed, []);
});

test('H10: an event is followed by its routes at once, and the time between is measured', async (t) => {
  const stage = await Stage.start(t, { nodes: 2 });
  await stage.join(instanceId(1), instanceId(2));
  await stage.idle();
  stage.forget();
  // No schedule runs: the event alone must do.
  await stage.event(instanceId(2), 'terminated', stage.now());
  await stage.idle();
  assert.equal(stage.writes().length, 3);
  const functions = (await stage.control('GET', 'functions')) as Record<string, { readonly log: readonly string[] }>;
  const measured = (functions['SyncRoutesFunction']?.log ?? [])
    .map((line): unknown => (line.startsWith('{') ? JSON.parse(line) : null))
    .flatMap((line) => (line as { readonly EventToRouteMs?: number } | null)?.EventToRouteMs ?? []);
  assert.ok(measured.length > 0, 'the time is a metric');
  for (const ms of measured) assert.ok(ms >= 0, String(ms));
});
