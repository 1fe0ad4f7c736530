import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateRouteCommand,
  CreateVpcCommand,
  DescribeRouteTablesCommand,
} from '@aws-sdk/client-ec2';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox({ functions: false });
const { dynamodb, ec2, sqs } = clients(sandbox);

test('every call is recorded with its parameters, its caller and its outcome', async () => {
  await control(sandbox, 'DELETE', 'calls');
  await clients(sandbox, 'somebody').dynamodb.send(
    new GetItemCommand({ TableName: 'fixture-ClaimsTable', Key: { pk: { S: 'a' }, sk: { S: 'b' } } }),
  );
  await assert.rejects(ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: ['rtb-0123456789abcdef0'] })));
  const calls = (await control(sandbox, 'GET', 'calls')) as Record<string, unknown>[];
  assert.deepEqual(
    calls.map(({ time, ...call }) => ({ ...call, timed: typeof time === 'number' })),
    [
      {
        service: 'dynamodb',
        action: 'GetItem',
        parameters: { TableName: 'fixture-ClaimsTable', Key: { pk: { S: 'a' }, sk: { S: 'b' } } },
        caller: 'somebody',
        outcome: { status: 200, carriedOut: true },
        timed: true,
      },
      {
        service: 'ec2',
        action: 'DescribeRouteTables',
        parameters: { RouteTableId: ['rtb-0123456789abcdef0'] },
        caller: 'admin',
        outcome: { status: 400, error: 'InvalidRouteTableID.NotFound', carriedOut: false },
        timed: true,
      },
    ],
  );
  await control(sandbox, 'DELETE', 'calls');
  assert.deepEqual(await control(sandbox, 'GET', 'calls'), []);
});

test('the clock is advanced and never turned back', async () => {
  const before = sandbox.clock.now();
  await control(sandbox, 'POST', 'clock', { advanceSeconds: 3600 });
  assert.ok(sandbox.clock.now() - before >= 3_600_000);
  await assert.rejects(control(sandbox, 'POST', 'clock', { advanceSeconds: -1 }), /advanceSeconds/);
  await assert.rejects(control(sandbox, 'POST', 'clock', {}), /advanceSeconds/);
});

test('a route that no API call can make is planted', async () => {
  await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const { RouteTables: [table] = [] } = await ec2.send(new DescribeRouteTablesCommand({}));
  const Route = { DestinationCidrBlock: '10.244.1.0/24', Origin: 'CreateRoute', State: 'blackhole' };
  await control(sandbox, 'POST', 'routes', { RouteTableId: table?.RouteTableId, Route });
  const { RouteTables: [after] = [] } = await ec2.send(new DescribeRouteTablesCommand({}));
  assert.ok(
    after?.Routes?.some((route) => route.DestinationCidrBlock === '10.244.1.0/24' && route.State === 'blackhole'),
  );
});

test('what the sandbox does not know is refused with what it knows', async () => {
  await assert.rejects(control(sandbox, 'GET', 'nothing'), /there is no GET \/_sandbox\/nothing, only GET calls/);
  await assert.rejects(control(sandbox, 'POST', 'ec2', { op: 'explode' }), /op is one of forgetInstance/);
  await assert.rejects(control(sandbox, 'POST', 'routes', {}), /RouteTableId/);
});

test('messages of queues that nothing is fed from can be read', async () => {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: `${sandbox.url}/123456789012/fixture-FailuresQueue`,
      MessageBody: 'look at me',
    }),
  );
  const queues = (await control(sandbox, 'GET', 'queues')) as Record<
    string,
    { waiting: number; messages?: { body: string }[] }
  >;
  assert.equal(queues['FailuresQueue']?.waiting, 1);
  assert.deepEqual(
    queues['FailuresQueue']?.messages?.map(({ body }) => body),
    ['look at me'],
  );
  assert.equal(queues['OrdersQueue']?.messages, undefined);
});

test('idle says what is in flight when it is not', async () => {
  assert.deepEqual(await control(sandbox, 'GET', 'idle'), { idle: true });
  const end = sandbox.activity.begin('a long story');
  await assert.rejects(control(sandbox, 'GET', 'idle?timeout=0.01'), /still in flight: a long story/);
  end();
  await control(sandbox, 'GET', 'idle');
});

test('a world file goes in and comes out', async () => {
  const lease = {
    subnet: '10.244.1.0/24',
    instanceId: 'i-0000000000000000a',
    eniId: 'eni-0000000000000000a',
    nodeIp: '10.0.1.10',
    acquiredAt: 1789990000,
    expiresAt: 1790080000,
    state: 'active',
  };
  const config = {
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-0000000000000000a' },
  };
  const RouteTables = [
    {
      RouteTableId: 'rtb-0000000000000000a',
      VpcId: 'vpc-0000000000000000a',
      Routes: [
        { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' },
      ],
      Associations: [],
      PropagatingVgws: [],
      Tags: [],
      OwnerId: '123456789012',
    },
  ];
  const world = { config, leases: [lease], routeTables: { RouteTables } };
  const seeded = await fixtureSandbox({ functions: false, world });
  const shown = (await control(seeded, 'GET', 'world')) as typeof world & { now: number };
  assert.deepEqual(shown.config, config);
  assert.deepEqual(shown.leases, [lease]);
  assert.deepEqual(shown.routeTables.RouteTables[0]?.Routes, RouteTables[0]?.Routes);
  assert.equal(typeof shown.now, 'number');
  const { dynamodb: client } = clients(seeded);
  const item = async (sk: string) =>
    (
      await client.send(
        new GetItemCommand({ TableName: 'fixture-LeasesTable', Key: { pk: { S: 'network#blue' }, sk: { S: sk } } }),
      )
    ).Item;
  assert.equal((await item('holder#i-0000000000000000a'))?.['subnet']?.S, '10.244.1.0/24');
  assert.deepEqual(JSON.parse((await item('config'))?.['config']?.S ?? ''), config);
});

test("a world's clock and route limit are the sandbox's, for clients that have another clock too", async () => {
  const RouteTables = [{ RouteTableId: 'rtb-a', VpcId: 'vpc-1' }];
  const world = { now: 1_790_000_000, options: { routeLimit: 1 }, routeTables: { RouteTables } };
  const seeded = await fixtureSandbox({ functions: false, world });
  const isNow = (ms: number) => assert.ok(ms >= 1_790_000_000_000 && ms < 1_790_000_600_000, String(ms));
  isNow(((await control(seeded, 'GET', 'clock')) as { now: number }).now);
  const client = clients(seeded);
  const route = (third: number, GatewayId: string) => ({
    RouteTableId: 'rtb-a',
    DestinationCidrBlock: `10.244.${third}.0/24`,
    GatewayId,
  });
  const { InternetGateway } = await client.ec2.send(new CreateInternetGatewayCommand({}));
  const InternetGatewayId = InternetGateway?.InternetGatewayId ?? '';
  await client.ec2.send(new AttachInternetGatewayCommand({ InternetGatewayId, VpcId: 'vpc-1' }));
  await client.ec2.send(new CreateRouteCommand(route(1, InternetGatewayId)));
  await assert.rejects(client.ec2.send(new CreateRouteCommand(route(2, InternetGatewayId))), {
    name: 'RouteLimitExceeded',
  });
  const QueueUrl = `${seeded.url}/123456789012/fixture-FailuresQueue`;
  await client.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'when?' }));
  const { Messages } = await client.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['SentTimestamp'] }),
  );
  isNow(Number(Messages?.[0]?.Attributes?.SentTimestamp));
  const shown = (await seeded.world()) as { now: number; options: unknown };
  isNow(shown.now * 1000);
  assert.deepEqual(shown.options, { routeLimit: 1 });
});

test('a lease written by an application is in the world that comes out', async () => {
  const Item = {
    pk: { S: 'network#blue' },
    sk: { S: 'lease#10.244.9.0/24' },
    subnet: { S: '10.244.9.0/24' },
    version: { N: '3' },
    expiresAt: { NULL: true as const },
    state: { S: 'reserved' },
  };
  await dynamodb.send(new PutItemCommand({ TableName: 'fixture-LeasesTable', Item }));
  const { leases } = (await sandbox.world()) as { leases: unknown[] };
  assert.deepEqual(leases, [{ subnet: '10.244.9.0/24', state: 'reserved' }]);
});
