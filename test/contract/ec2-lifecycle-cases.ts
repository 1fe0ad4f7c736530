/** What becomes of a route when its target stops, moves or ends. */
import assert from 'node:assert/strict';
import {
  AttachNetworkInterfaceCommand,
  DeleteNetworkInterfaceCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  DetachNetworkInterfaceCommand,
  ModifyNetworkInterfaceAttributeCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  addedRoutes,
  addRoute,
  type Cases,
  makeInterface,
  type Network,
  present,
  reaches,
  refusal,
  runNode,
} from './ec2-bench.ts';

async function end(network: Network, instanceId: string): Promise<void> {
  await network.client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
  await reaches(network.client, instanceId, 'terminated');
}

async function attachmentOf({ client }: Network, eniId: string): Promise<string> {
  const { NetworkInterfaces } = await client.send(
    new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId] }),
  );
  return present(NetworkInterfaces?.[0]?.Attachment?.AttachmentId);
}

export const lifecycleCases: Cases = {
  'stopped is a blackhole, started is active again through the same interface': async (network) => {
    const { client, table } = network;
    const { instanceId, eniId } = await runNode(network);
    await addRoute(network, '10.244.1.0/24', eniId);
    const before = await addedRoutes(client, table);
    await client.send(new StopInstancesCommand({ InstanceIds: [instanceId] }));
    await reaches(client, instanceId, 'stopped');
    const [stopped] = await addedRoutes(client, table);
    assert.deepEqual([stopped?.State, stopped?.NetworkInterfaceId], ['blackhole', eniId]);
    await client.send(new StartInstancesCommand({ InstanceIds: [instanceId] }));
    await reaches(client, instanceId, 'running');
    assert.deepEqual(await addedRoutes(client, table), before);
  },
  'a route to a stopped instance is accepted and shows a blackhole': async (network) => {
    const { client, table } = network;
    const { instanceId, eniId } = await runNode(network);
    await client.send(new StopInstancesCommand({ InstanceIds: [instanceId] }));
    await reaches(client, instanceId, 'stopped');
    await addRoute(network, '10.244.1.0/24', eniId);
    assert.equal((await addedRoutes(client, table))[0]?.State, 'blackhole');
  },
  'after termination the route stays, a blackhole with its interface id and without its instance': async (network) => {
    const { client, table } = network;
    const { instanceId, eniId } = await runNode(network);
    await addRoute(network, '10.244.1.0/24', eniId);
    await end(network, instanceId);
    network.ec2.advance(7200);
    assert.deepEqual(await addedRoutes(client, table), [
      { DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: eniId, Origin: 'CreateRoute', State: 'blackhole' },
    ]);
  },
  'a detached interface is a blackhole, attached elsewhere it is active through the new instance': async (network) => {
    const { client, table } = network;
    const [first, second] = [await runNode(network), await runNode(network)];
    const eniId = await makeInterface(client, network.subnetId);
    const attach = (InstanceId: string) =>
      client.send(new AttachNetworkInterfaceCommand({ InstanceId, NetworkInterfaceId: eniId, DeviceIndex: 1 }));
    const { AttachmentId } = await attach(first.instanceId);
    await addRoute(network, '10.244.1.0/24', eniId);
    assert.equal((await addedRoutes(client, table))[0]?.InstanceId, first.instanceId);
    await client.send(new DetachNetworkInterfaceCommand({ AttachmentId }));
    const [detached] = await addedRoutes(client, table);
    assert.deepEqual([detached?.State, detached?.InstanceId], ['blackhole', undefined]);
    await attach(second.instanceId);
    const [moved] = await addedRoutes(client, table);
    assert.deepEqual([moved?.State, moved?.InstanceId], ['active', second.instanceId]);
  },
  'a deleted interface leaves a blackhole': async (network) => {
    const eniId = await makeInterface(network.client, network.subnetId);
    await addRoute(network, '10.244.1.0/24', eniId);
    await network.client.send(new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: eniId }));
    const [route] = await addedRoutes(network.client, network.table);
    assert.deepEqual([route?.State, route?.NetworkInterfaceId], ['blackhole', eniId]);
  },
  'an interface that outlives its instance is available afterwards': async (network) => {
    const { client } = network;
    const { instanceId, eniId } = await runNode(network);
    const AttachmentId = await attachmentOf(network, eniId);
    await client.send(
      new ModifyNetworkInterfaceAttributeCommand({
        NetworkInterfaceId: eniId,
        Attachment: { AttachmentId, DeleteOnTermination: false },
      }),
    );
    await end(network, instanceId);
    const { NetworkInterfaces } = await client.send(
      new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId] }),
    );
    assert.deepEqual(
      NetworkInterfaces?.map(({ Status, Attachment }) => [Status, Attachment]),
      [['available', undefined]],
    );
  },
  'the primary interface cannot be detached': async (network) => {
    const { eniId } = await runNode(network);
    const AttachmentId = await attachmentOf(network, eniId);
    assert.equal(
      await refusal(network.client.send(new DetachNetworkInterfaceCommand({ AttachmentId }))),
      '400 OperationNotPermitted: The network interface at device index 0 and networkCard index 0 cannot be detached.',
    );
  },
  'route.state=blackhole finds the tables that have one, with all their routes': async (network) => {
    const { client, table } = network;
    const { eniId } = await runNode(network);
    const dead = await makeInterface(client, network.subnetId);
    const filter = new DescribeRouteTablesCommand({ Filters: [{ Name: 'route.state', Values: ['blackhole'] }] });
    assert.deepEqual((await client.send(filter)).RouteTables, []);
    await addRoute(network, '10.244.1.0/24', eniId);
    await addRoute(network, '10.244.2.0/24', dead);
    const { RouteTables } = await client.send(filter);
    assert.deepEqual(
      RouteTables?.map((found) => found.RouteTableId),
      [table],
    );
    assert.ok((RouteTables?.[0]?.Routes?.length ?? 0) >= 3);
  },
};
