/** Field report N7: what moto, localstack and floci get or got wrong, each as a case. */
import assert from 'node:assert/strict';
import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { addedRoutes, addRoute, type Cases, reaches, refusal, runNode } from './ec2-bench.ts';

export const simulatorCases: Cases = {
  'N7: interface targets are kept and shown': async (network) => {
    const { eniId } = await runNode(network);
    await addRoute(network, '10.244.1.0/24', eniId);
    assert.equal((await addedRoutes(network.client, network.table))[0]?.NetworkInterfaceId, eniId);
  },
  'N7: RouteAlreadyExists comes for another target only': async (network) => {
    const [first, second] = [await runNode(network), await runNode(network)];
    await addRoute(network, '10.244.1.0/24', first.eniId);
    assert.equal(await refusal(addRoute(network, '10.244.1.0/24', first.eniId)), 'accepted');
    assert.match(await refusal(addRoute(network, '10.244.1.0/24', second.eniId)), /RouteAlreadyExists/);
  },
  'N7: CIDRs are canonical, and the next write after such a one works': async (network) => {
    const { eniId } = await runNode(network);
    await addRoute(network, '10.244.1.7/24', eniId);
    assert.equal(await refusal(addRoute(network, '10.244.2.7/24', eniId)), 'accepted');
    assert.equal((await addedRoutes(network.client, network.table))[0]?.DestinationCidrBlock, '10.244.1.0/24');
  },
  'N7: a terminated instance lists no interfaces, nor do they exist': async (network) => {
    const { client } = network;
    const { instanceId, eniId } = await runNode(network);
    await client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
    await reaches(client, instanceId, 'terminated');
    const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    const [ended] = Reservations?.[0]?.Instances ?? [];
    assert.deepEqual(
      [ended?.State?.Name, ended?.NetworkInterfaces, ended?.PrivateIpAddress, ended?.SubnetId],
      ['terminated', [], undefined, undefined],
    );
    const byId = new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId] });
    assert.match(await refusal(client.send(byId)), /^400 InvalidNetworkInterfaceID\.NotFound/);
  },
  'N7: a terminated instance is shown for an hour and then forgotten': async (network) => {
    const { client } = network;
    const { instanceId } = await runNode(network);
    await client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
    await reaches(client, instanceId, 'terminated');
    network.ec2.advance(3599);
    const byFilter = new DescribeInstancesCommand({ Filters: [{ Name: 'instance-id', Values: [instanceId] }] });
    assert.equal((await client.send(byFilter)).Reservations?.length, 1);
    network.ec2.advance(1);
    assert.deepEqual((await client.send(byFilter)).Reservations, []);
    const byId = new DescribeInstancesCommand({ InstanceIds: [instanceId] });
    assert.match(await refusal(client.send(byId)), /^400 InvalidInstanceID\.NotFound/);
  },
  'N7: an unknown id fails the whole call, in a filter it finds nothing': async ({ client, table }) => {
    const unknown = 'rtb-0aaaaaaaaaaaaaaaa';
    const byId = new DescribeRouteTablesCommand({ RouteTableIds: [table, unknown] });
    assert.match(await refusal(client.send(byId)), /^400 InvalidRouteTableID\.NotFound/);
    const byFilter = new DescribeRouteTablesCommand({ Filters: [{ Name: 'route-table-id', Values: [unknown] }] });
    assert.deepEqual((await client.send(byFilter)).RouteTables, []);
  },
};
