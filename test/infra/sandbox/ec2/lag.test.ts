import assert from 'node:assert/strict';
import {
  CreateRouteCommand,
  DeleteRouteCommand,
  DeleteRouteTableCommand,
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  ModifyNetworkInterfaceAttributeCommand,
  ReplaceRouteCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  addedRoutes,
  addRoute,
  makeInterface,
  makeNetwork,
  makeTable,
  reaches,
  refusal,
  runNode,
} from '../../../contract/ec2-bench.ts';
import type { TestEc2 } from './ec2-server.ts';
import { testEc2 } from './with-ec2.ts';

async function withOneRoute(ec2: TestEc2) {
  const network = await makeNetwork(ec2);
  const eniId = await makeInterface(ec2.client, network.subnetId);
  await addRoute(network, '10.244.1.0/24', eniId);
  const count = async () => (await addedRoutes(ec2.client, network.table)).length;
  return { network, eniId, count };
}

testEc2('N7: the next reads of a table show it before the last write, then as it is', async (ec2) => {
  const { network, eniId, count } = await withOneRoute(ec2);
  await addRoute(network, '10.244.2.0/24', eniId);
  ec2.ec2.lag({ action: 'DescribeRouteTables', match: { RouteTableId: network.table }, reads: 2 });
  assert.deepEqual([await count(), await count(), await count(), await count()], [1, 1, 2, 2]);
});

testEc2('backwards, a reader sees new, old, new', async (ec2) => {
  const { network, eniId, count } = await withOneRoute(ec2);
  await addRoute(network, '10.244.2.0/24', eniId);
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 1, backwards: true });
  assert.deepEqual([await count(), await count(), await count()], [2, 1, 2]);
});

testEc2('a lag set before the write shows what the write changed', async (ec2) => {
  const { network, eniId, count } = await withOneRoute(ec2);
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 1 });
  await addRoute(network, '10.244.2.0/24', eniId);
  assert.deepEqual([await count(), await count()], [1, 2]);
});

testEc2('a late read still shows a deleted row, and the old target of a replaced one', async (ec2) => {
  const { client } = ec2;
  const { network, eniId } = await withOneRoute(ec2);
  const other = await makeInterface(client, network.subnetId);
  const row = { RouteTableId: network.table, DestinationCidrBlock: '10.244.1.0/24' };
  const targets = async () =>
    (await addedRoutes(client, network.table)).map(({ NetworkInterfaceId }) => NetworkInterfaceId);
  await client.send(new ReplaceRouteCommand({ ...row, NetworkInterfaceId: other }));
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 1 });
  assert.deepEqual([await targets(), await targets()], [[eniId], [other]]);
  await client.send(new DeleteRouteCommand(row));
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 1 });
  assert.deepEqual([await targets(), await targets()], [[other], []]);
});

testEc2('a late page shows the old state and the other pages the present one', async (ec2) => {
  const { client } = ec2;
  const { network, eniId } = await withOneRoute(ec2);
  for (let index = 0; index < 5; index += 1) await makeTable(client, network.vpcId);
  await addRoute(network, '10.244.2.0/24', eniId);
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 1 });
  const first = await client.send(new DescribeRouteTablesCommand({ MaxResults: 5 }));
  const second = await client.send(new DescribeRouteTablesCommand({ MaxResults: 5, NextToken: first.NextToken }));
  const seen = first.RouteTables?.find(({ RouteTableId }) => RouteTableId === network.table);
  assert.equal(seen?.Routes?.filter(({ Origin }) => Origin === 'CreateRoute').length, 1);
  assert.equal(second.RouteTables?.length, 2);
  assert.equal((await addedRoutes(client, network.table)).length, 2);
});

testEc2('reads that do not meet the resource spend nothing', async (ec2) => {
  const { network, eniId, count } = await withOneRoute(ec2);
  const other = await makeTable(ec2.client, network.vpcId);
  await addRoute(network, '10.244.2.0/24', eniId);
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 1 });
  await addedRoutes(ec2.client, other);
  assert.deepEqual([await count(), await count()], [1, 2]);
});

testEc2('writes see the present whatever reads show', async (ec2) => {
  const { network, eniId } = await withOneRoute(ec2);
  ec2.ec2.lag({ match: { RouteTableId: network.table }, reads: 5 });
  const other = await makeInterface(ec2.client, network.subnetId);
  const call = new CreateRouteCommand({
    RouteTableId: network.table,
    DestinationCidrBlock: '10.244.1.0/24',
    NetworkInterfaceId: other,
  });
  assert.deepEqual(await addedRoutes(ec2.client, network.table), []);
  assert.match(await refusal(ec2.client.send(call)), /RouteAlreadyExists/);
  assert.equal((await addRoute(network, '10.244.1.0/24', eniId)).Return, true);
});

testEc2('a late read does not know a new table yet, and still knows a deleted one', async (ec2) => {
  const { client } = ec2;
  const { vpcId } = await makeNetwork(ec2);
  const table = await makeTable(client, vpcId);
  const byId = () => refusal(client.send(new DescribeRouteTablesCommand({ RouteTableIds: [table] })));
  ec2.ec2.lag({ match: { RouteTableId: table }, reads: 1 });
  assert.match(await byId(), /InvalidRouteTableID\.NotFound/);
  assert.equal(await byId(), 'accepted');
  await client.send(new DeleteRouteTableCommand({ RouteTableId: table }));
  ec2.ec2.lag({ match: { RouteTableId: table }, reads: 1 });
  assert.equal(await byId(), 'accepted');
  assert.match(await byId(), /InvalidRouteTableID\.NotFound/);
});

testEc2('instances and interfaces can be late too', async (ec2) => {
  const { client } = ec2;
  const network = await makeNetwork(ec2);
  const { instanceId, eniId } = await runNode(network);
  await client.send(
    new ModifyNetworkInterfaceAttributeCommand({ NetworkInterfaceId: eniId, SourceDestCheck: { Value: false } }),
  );
  ec2.ec2.lag({ match: { NetworkInterfaceId: eniId }, reads: 1 });
  const check = async () => {
    const { NetworkInterfaces } = await client.send(
      new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId] }),
    );
    return NetworkInterfaces?.[0]?.SourceDestCheck;
  };
  assert.deepEqual([await check(), await check()], [true, false]);

  await client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
  await reaches(client, instanceId, 'terminated');
  ec2.ec2.lag({ match: { InstanceId: instanceId }, reads: 1 });
  const state = async () => {
    const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    return Reservations?.[0]?.Instances?.[0]?.State?.Name;
  };
  assert.deepEqual([await state(), await state()], ['shutting-down', 'terminated']);
});

testEc2('a lag that names no resource is refused', async ({ ec2 }) => {
  assert.throws(() => ec2.lag({ match: { SubnetId: 'subnet-1' }, reads: 1 }), /must match one of RouteTableId/);
});
