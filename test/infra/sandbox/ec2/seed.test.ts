import assert from 'node:assert/strict';
import {
  CreateRouteCommand,
  DeleteNetworkInterfaceCommand,
  DeleteRouteTableCommand,
  DescribeRouteTablesCommand,
  DescribeVpcsCommand,
} from '@aws-sdk/client-ec2';
import {
  addRoute,
  describeTable,
  makeInterface,
  makeNetwork,
  refusal,
  routesOf,
  runNode,
} from '../../../contract/ec2-bench.ts';
import { startEc2 } from './ec2-server.ts';
import { testEc2 } from './with-ec2.ts';

const local = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };

const foreign = [
  { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-1', Origin: 'CreateRoute', State: 'active' },
  { DestinationPrefixListId: 'pl-1', GatewayId: 'vpce-1', Origin: 'CreateRoute', State: 'active' },
  { DestinationCidrBlock: '192.168.0.0/16', GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation', State: 'active' },
  { DestinationCidrBlock: '172.16.0.0/12', VpcPeeringConnectionId: 'pcx-1', Origin: 'CreateRoute', State: 'blackhole' },
  { DestinationCidrBlock: '10.9.0.0/24', IpAddress: '10.0.0.9', Origin: 'Advertisement', State: 'filtered' },
];

const table = (routes: readonly Record<string, string>[]) => ({
  RouteTableId: 'rtb-a',
  VpcId: 'vpc-1',
  Routes: [local, ...routes],
  Associations: [{ Main: false, RouteTableAssociationId: 'rtbassoc-1', RouteTableId: 'rtb-a', SubnetId: 'subnet-1' }],
  PropagatingVgws: [{ GatewayId: 'vgw-1' }],
  Tags: [{ Key: 'Name', Value: 'private a' }],
});

const instance = (id: string, state: string) => ({
  InstanceId: `i-${id}`,
  State: { Code: 0, Name: state },
  NetworkInterfaces: [
    {
      NetworkInterfaceId: `eni-${id}`,
      SubnetId: 'subnet-1',
      VpcId: 'vpc-1',
      PrivateIpAddress: `10.0.1.1${id}`,
      SourceDestCheck: false,
      Attachment: { AttachmentId: `eni-attach-${id}`, DeviceIndex: 0, DeleteOnTermination: true },
    },
  ],
});

const to = (id: string, more = {}) => ({
  DestinationCidrBlock: `10.244.${id}.0/24`,
  NetworkInterfaceId: `eni-${id}`,
  Origin: 'CreateRoute',
  ...more,
});

testEc2('foreign rows are printed as they were seeded, in their order', async ({ ec2, client }) => {
  ec2.seed({ routeTables: [table(foreign)] });
  const printed = await describeTable(client, 'rtb-a');
  assert.deepEqual(printed.Routes, [local, ...foreign]);
  assert.deepEqual(printed.PropagatingVgws, [{ GatewayId: 'vgw-1' }]);
  assert.deepEqual(printed.Tags, [{ Key: 'Name', Value: 'private a' }]);
  assert.equal(printed.Associations?.[0]?.SubnetId, 'subnet-1');
});

testEc2('a route follows its target where the seed knows it, and keeps its own words where not', async (served) => {
  const { ec2, client } = served;
  const owner = { InstanceOwnerId: '123456789012' };
  ec2.seed({
    routeTables: [
      table([to('1', { State: 'blackhole' }), to('2', { State: 'active' }), to('3', { State: 'blackhole' })]),
    ],
    instances: [{ ReservationId: 'r-1', Instances: [instance('1', 'running'), instance('2', 'stopped')] }],
  });
  assert.deepEqual((await routesOf(client, 'rtb-a')).slice(1), [
    { ...to('1'), InstanceId: 'i-1', ...owner, State: 'active' },
    { ...to('2'), InstanceId: 'i-2', ...owner, State: 'blackhole' },
    { ...to('3'), State: 'blackhole' },
  ]);
});

testEc2('both shapes of a blackhole can be planted', async ({ ec2, client }) => {
  ec2.seed({ routeTables: [table([])] });
  const dead = { DestinationCidrBlock: '10.244.8.0/24', Origin: 'CreateRoute', State: 'blackhole' };
  const ids = { NetworkInterfaceId: 'eni-dead', InstanceId: 'i-dead', InstanceOwnerId: '123456789012' };
  ec2.plantRoute('rtb-a', dead);
  ec2.plantRoute('rtb-a', { ...dead, DestinationCidrBlock: '10.244.9.0/24', ...ids });
  assert.deepEqual((await routesOf(client, 'rtb-a')).slice(1), [
    dead,
    { ...dead, DestinationCidrBlock: '10.244.9.0/24', ...ids },
  ]);
});

testEc2('seeded resources take part in calls, whatever their ids look like', async (served) => {
  const { ec2, client } = served;
  ec2.seed({ routeTables: [table(foreign)], instances: [instance('1', 'running')] });
  const { Vpcs } = await client.send(new DescribeVpcsCommand({}));
  assert.deepEqual(
    Vpcs?.map(({ VpcId, CidrBlock }) => [VpcId, CidrBlock]),
    [['vpc-1', '10.0.0.0/16']],
  );
  const route = { RouteTableId: 'rtb-a', DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: 'eni-1' };
  assert.equal((await client.send(new CreateRouteCommand(route))).Return, true);
  const elsewhere = { ...route, DestinationCidrBlock: '10.244.2.0/24', NetworkInterfaceId: 'eni-7' };
  assert.match(
    await refusal(client.send(new CreateRouteCommand(elsewhere))),
    /^400 InvalidNetworkInterfaceID\.NotFound/,
  );
  const toVgw = { RouteTableId: 'rtb-a', DestinationCidrBlock: '192.168.1.0/24', GatewayId: 'vgw-1' };
  assert.equal((await client.send(new CreateRouteCommand(toVgw))).Return, true);
});

testEc2("a route server's row stays as it is, whatever its target does", async ({ ec2, client }) => {
  const filtered = {
    DestinationCidrBlock: '172.31.0.0/16',
    NetworkInterfaceId: 'eni-1',
    IpAddress: '10.0.1.1',
    Origin: 'Advertisement',
    State: 'filtered',
  };
  ec2.seed({ routeTables: [table([filtered])], instances: [instance('1', 'running')] });
  assert.deepEqual((await routesOf(client, 'rtb-a')).slice(1), [filtered]);
});

testEc2('a new interface has a MAC address that no other has', async ({ ec2, client }) => {
  const made = (MacAddress: string, NetworkInterfaceId: string) => ({
    NetworkInterfaceId,
    MacAddress,
    SubnetId: 'subnet-1',
  });
  ec2.seed({
    subnets: [{ SubnetId: 'subnet-1', VpcId: 'vpc-1', CidrBlock: '10.0.1.0/24' }],
    networkInterfaces: [made('02:00:00:00:00:01', 'eni-a'), made('02:00:00:00:00:02', 'eni-b')],
  });
  for (let count = 0; count < 2; count++) await makeInterface(client, 'subnet-1');
  const { networkInterfaces } = ec2.snapshot();
  assert.equal(new Set(networkInterfaces.map((one) => one['MacAddress'])).size, 4);
});

testEc2('a short id that nobody has is unknown, not malformed', async ({ ec2, client }) => {
  ec2.seed({ routeTables: [table([])], instances: [instance('1', 'running')] });
  const route = { RouteTableId: 'rtb-a', DestinationCidrBlock: '10.244.1.0/24' };
  const create = (target: object) => refusal(client.send(new CreateRouteCommand({ ...route, ...target })));
  assert.match(await create({ NetworkInterfaceId: 'eni-99' }), /^400 InvalidNetworkInterfaceID\.NotFound:/);
  assert.match(await create({ InstanceId: 'i-99' }), /^400 InvalidInstanceID\.NotFound:/);
  const toOne = { NetworkInterfaceId: 'eni-1' };
  assert.match(await create({ RouteTableId: 'rtb-99', ...toOne }), /^400 InvalidRouteTableID\.NotFound:/);
  assert.match(await create({ RouteTableId: 'rtb-99z', ...toOne }), /^400 InvalidRouteTableId\.Malformed:/);
  const tables = new DescribeRouteTablesCommand({ RouteTableIds: ['rtb-99'] });
  assert.match(await refusal(client.send(tables)), /^400 InvalidRouteTableID\.NotFound:/);
});

testEc2('an id that a deleted resource had is unknown, not malformed, whatever it looks like', async (served) => {
  const { ec2, client } = served;
  ec2.seed({
    routeTables: [table([]), { RouteTableId: 'rtb-public', VpcId: 'vpc-1' }],
    networkInterfaces: [{ NetworkInterfaceId: 'eni-spare', VpcId: 'vpc-1', SubnetId: 'subnet-x' }],
  });
  await client.send(new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: 'eni-spare' }));
  await client.send(new DeleteRouteTableCommand({ RouteTableId: 'rtb-public' }));
  const route = { RouteTableId: 'rtb-a', DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: 'eni-spare' };
  assert.match(
    await refusal(client.send(new CreateRouteCommand(route))),
    /^400 InvalidNetworkInterfaceID\.NotFound: The networkInterface ID 'eni-spare' does not exist$/,
  );
  const tables = new DescribeRouteTablesCommand({ RouteTableIds: ['rtb-public'] });
  assert.match(await refusal(client.send(tables)), /^400 InvalidRouteTableID\.NotFound:/);
});

testEc2('interfaces named twice, by themselves and by their instance, are one', async ({ ec2, client }) => {
  const [nic] = instance('1', 'running').NetworkInterfaces;
  ec2.seed({
    vpcs: [{ VpcId: 'vpc-1', CidrBlock: '10.0.0.0/16' }],
    subnets: [{ SubnetId: 'subnet-1', VpcId: 'vpc-1', CidrBlock: '10.0.1.0/24', AvailabilityZone: 'eu-central-1b' }],
    networkInterfaces: [{ ...nic, Attachment: { ...nic?.Attachment, InstanceId: 'i-1' } }],
    instances: [instance('1', 'running')],
    routeTables: [{ RouteTableId: 'rtb-b', VpcId: 'vpc-1' }],
  });
  assert.deepEqual(await routesOf(client, 'rtb-b'), [local]);
  const { networkInterfaces, instances } = ec2.snapshot();
  assert.equal(networkInterfaces.length, 1);
  assert.equal(networkInterfaces[0]?.['AvailabilityZone'], 'eu-central-1b');
  assert.equal(instances.length, 1);
});

testEc2('the whole output of the AWS CLI is taken as well, and what is none is refused', async ({ ec2, client }) => {
  const Reservations = [{ ReservationId: 'r-1', Instances: [instance('1', 'running')] }];
  ec2.seed({ routeTables: { RouteTables: [table([to('1')])] }, instances: { Reservations } });
  assert.equal((await routesOf(client, 'rtb-a'))[1]?.InstanceId, 'i-1');
  assert.throws(() => ec2.seed({ routeTables: { Tables: [] } }), /no list RouteTables/);
});

testEc2('an instance state that EC2 does not have is refused by name', async ({ ec2 }) => {
  assert.throws(() => ec2.seed({ instances: [instance('1', 'sleeping')] }), /sleeping/);
});

testEc2('a snapshot seeds an equal world, and new ids do not meet old ones', async (served) => {
  const network = await makeNetwork(served);
  const { eniId } = await runNode(network);
  await runNode(network);
  await addRoute(network, '10.244.1.0/24', eniId);
  const snapshot = served.ec2.snapshot();
  const copy = await startEc2();
  try {
    copy.ec2.seed(snapshot);
    assert.deepEqual(copy.ec2.snapshot(), snapshot);
    const other = await makeNetwork(copy);
    assert.notEqual(other.table, network.table);
    const { RouteTables } = await copy.client.send(new DescribeRouteTablesCommand({}));
    assert.equal(RouteTables?.length, 4);
  } finally {
    await copy.close();
  }
});
