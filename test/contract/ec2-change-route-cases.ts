/** ReplaceRoute and DeleteRoute. */
import assert from 'node:assert/strict';
import {
  CreateRouteCommand,
  CreateVpcEndpointCommand,
  DeleteRouteCommand,
  ReplaceRouteCommand,
} from '@aws-sdk/client-ec2';
import {
  addedRoutes,
  addRoute,
  type Cases,
  makeInterface,
  type Network,
  refusal,
  routesOf,
  runNode,
} from './ec2-bench.ts';

const replace = ({ client, table }: Network, destination: string, eniId: string) =>
  client.send(
    new ReplaceRouteCommand({
      RouteTableId: table,
      DestinationCidrBlock: destination,
      NetworkInterfaceId: eniId,
    }),
  );

const remove = ({ client, table }: Network, destination: string) =>
  client.send(new DeleteRouteCommand({ RouteTableId: table, DestinationCidrBlock: destination }));

export const changeRouteCases: Cases = {
  'ReplaceRoute changes the target in place': async (network) => {
    const [first, second] = [await runNode(network), await runNode(network)];
    await addRoute(network, '10.244.1.0/24', first.eniId);
    await replace(network, '10.244.1.0/24', second.eniId);
    const routes = await addedRoutes(network.client, network.table);
    assert.deepEqual(
      routes.map((route) => [route.NetworkInterfaceId, route.InstanceId, route.State]),
      [[second.eniId, second.instanceId, 'active']],
    );
  },
  'ReplaceRoute works from a blackhole, with ids and without': async (network) => {
    const { eniId } = await runNode(network);
    const dead = await makeInterface(network.client, network.subnetId);
    await addRoute(network, '10.244.1.0/24', dead);
    network.ec2.plantRoute(network.table, {
      DestinationCidrBlock: '10.244.2.0/24',
      Origin: 'CreateRoute',
      State: 'blackhole',
    });
    await replace(network, '10.244.1.0/24', eniId);
    await replace(network, '10.244.2.0/24', eniId);
    const routes = await addedRoutes(network.client, network.table);
    assert.deepEqual(
      routes.map(({ State }) => State),
      ['active', 'active'],
    );
  },
  'ReplaceRoute with the same target succeeds and changes nothing': async (network) => {
    const { eniId } = await runNode(network);
    await addRoute(network, '10.244.1.0/24', eniId);
    const before = await routesOf(network.client, network.table);
    await replace(network, '10.244.1.0/24', eniId);
    assert.deepEqual(await routesOf(network.client, network.table), before);
  },
  'ReplaceRoute is not counted against the quota': async (network) => {
    const [first, second] = [await runNode(network), await runNode(network)];
    network.ec2.setRouteLimit(network.table, 1);
    await addRoute(network, '10.244.1.0/24', first.eniId);
    assert.equal(await refusal(replace(network, '10.244.1.0/24', second.eniId)), 'accepted');
  },
  'ReplaceRoute of a missing route: InvalidParameterValue, use CreateRoute': async (network) => {
    const { eniId } = await runNode(network);
    assert.equal(
      await refusal(replace(network, '10.244.1.0/24', eniId)),
      "400 InvalidParameterValue: There is no route defined for '10.244.1.0/24' in the route table. Use CreateRoute instead.",
    );
  },
  'ReplaceRoute and DeleteRoute do not make a CIDR canonical': async (network) => {
    const [first, second] = [await runNode(network), await runNode(network)];
    await addRoute(network, '10.244.1.0/24', first.eniId);
    assert.match(await refusal(replace(network, '10.244.1.7/24', second.eniId)), /Use CreateRoute instead\.$/);
    assert.match(await refusal(remove(network, '10.244.1.7/24')), /^400 InvalidRoute\.NotFound/);
    assert.equal((await addedRoutes(network.client, network.table))[0]?.NetworkInterfaceId, first.eniId);
  },
  'the local route may be given an interface and be made local again': async (network) => {
    const { client, table } = network;
    const { eniId } = await runNode(network);
    const local = { RouteTableId: table, DestinationCidrBlock: '10.0.0.0/16' };
    const before = await routesOf(client, table);
    await client.send(new ReplaceRouteCommand({ ...local, NetworkInterfaceId: eniId }));
    assert.equal((await routesOf(client, table))[0]?.NetworkInterfaceId, eniId);
    await client.send(new ReplaceRouteCommand({ ...local, LocalTarget: true }));
    assert.deepEqual(await routesOf(client, table), before);
  },
  'DeleteRoute removes exactly the row named': async (network) => {
    const { eniId } = await runNode(network);
    for (const destination of ['10.244.1.0/24', '10.244.1.0/25']) await addRoute(network, destination, eniId);
    await remove(network, '10.244.1.0/24');
    const routes = await addedRoutes(network.client, network.table);
    assert.deepEqual(
      routes.map((route) => route.DestinationCidrBlock),
      ['10.244.1.0/25'],
    );
  },
  'DeleteRoute of a missing route: InvalidRoute.NotFound, for both families': async (network) => {
    const { client, table } = network;
    assert.equal(
      await refusal(remove(network, '10.244.1.0/24')),
      `400 InvalidRoute.NotFound: no route with destination-cidr-block 10.244.1.0/24 in route table ${table}`,
    );
    const ipv6 = { RouteTableId: table, DestinationIpv6CidrBlock: 'fd00:244:0:1::/64' };
    assert.equal(
      await refusal(client.send(new DeleteRouteCommand(ipv6))),
      `400 InvalidRoute.NotFound: no route with destination-ipv6-cidr-block fd00:244:0:1::/64 in route table ${table}`,
    );
  },
  'DeleteRoute of a local route: InvalidParameterValue': async (network) => {
    assert.equal(
      await refusal(remove(network, '10.0.0.0/16')),
      `400 InvalidParameterValue: cannot remove local route 10.0.0.0/16 in route table ${network.table}`,
    );
  },
  'DeleteRoute of a propagated route: InvalidParameterValue': async (network) => {
    network.ec2.plantRoute(network.table, {
      DestinationCidrBlock: '192.168.0.0/16',
      GatewayId: 'vgw-0aaaaaaaaaaaaaaaa',
      Origin: 'EnableVgwRoutePropagation',
      State: 'active',
    });
    assert.match(await refusal(remove(network, '192.168.0.0/16')), /^400 InvalidParameterValue: cannot remove/);
  },
  'DeleteRoute of an endpoint route: InvalidParameterValue': async ({ client, table, vpcId }) => {
    const ServiceName = 'com.amazonaws.eu-central-1.dynamodb';
    await client.send(new CreateVpcEndpointCommand({ VpcId: vpcId, ServiceName, RouteTableIds: [table] }));
    const DestinationPrefixListId = (await addedRoutes(client, table))[0]?.DestinationPrefixListId;
    const call = client.send(new DeleteRouteCommand({ RouteTableId: table, DestinationPrefixListId }));
    assert.match(await refusal(call), /^400 InvalidParameterValue: cannot remove/);
  },
  'a route that was deleted can be created anew': async (network) => {
    const [first, second] = [await runNode(network), await runNode(network)];
    await addRoute(network, '10.244.1.0/24', first.eniId);
    await remove(network, '10.244.1.0/24');
    assert.equal((await addRoute(network, '10.244.1.0/24', second.eniId)).Return, true);
  },
  'IPv6 rows are replaced and deleted by their compressed form': async (network) => {
    const { client, table } = network;
    const [first, second] = [await runNode(network), await runNode(network)];
    const row = { RouteTableId: table, DestinationIpv6CidrBlock: 'fd00:244:0:1::/64' };
    await client.send(new CreateRouteCommand({ ...row, NetworkInterfaceId: first.eniId }));
    await client.send(new ReplaceRouteCommand({ ...row, NetworkInterfaceId: second.eniId }));
    assert.equal((await addedRoutes(client, table))[0]?.NetworkInterfaceId, second.eniId);
    await client.send(new DeleteRouteCommand(row));
    assert.deepEqual(await addedRoutes(client, table), []);
  },
};
