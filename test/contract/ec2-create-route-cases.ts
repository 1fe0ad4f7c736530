/** CreateRoute where EC2 accepts it, and what Describe then prints. */
import assert from 'node:assert/strict';
import {
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateManagedPrefixListCommand,
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateVpcEndpointCommand,
  CreateVpcPeeringConnectionCommand,
} from '@aws-sdk/client-ec2';
import {
  addedRoutes,
  addRoute,
  type Cases,
  makeInterface,
  makeTable,
  present,
  routesOf,
  runNode,
} from './ec2-bench.ts';

export const createRouteCases: Cases = {
  'an absent destination is added and answers Return true': async (network) => {
    const { eniId, instanceId } = await runNode(network);
    const answer = await addRoute(network, '10.244.1.0/24', eniId);
    assert.equal(answer.Return, true);
    assert.deepEqual(await addedRoutes(network.client, network.table), [
      {
        DestinationCidrBlock: '10.244.1.0/24',
        NetworkInterfaceId: eniId,
        InstanceId: instanceId,
        InstanceOwnerId: '123456789012',
        Origin: 'CreateRoute',
        State: 'active',
      },
    ]);
  },
  'a CIDR with host bits is stored in canonical form': async (network) => {
    const { eniId } = await runNode(network);
    await addRoute(network, '10.244.1.7/24', eniId);
    await addRoute(network, '10.244.2.0/24', eniId);
    const routes = await addedRoutes(network.client, network.table);
    assert.deepEqual(
      routes.map((route) => route.DestinationCidrBlock),
      ['10.244.1.0/24', '10.244.2.0/24'],
    );
  },
  'an IPv6 destination is stored compressed and in lower case, in its own member': async (network) => {
    const { eniId } = await runNode(network);
    await network.client.send(
      new CreateRouteCommand({
        RouteTableId: network.table,
        DestinationIpv6CidrBlock: 'FD00:0244:0000:0001::5/64',
        NetworkInterfaceId: eniId,
      }),
    );
    const [route] = await addedRoutes(network.client, network.table);
    assert.equal(route?.DestinationIpv6CidrBlock, 'fd00:244:0:1::/64');
    assert.equal(route?.DestinationCidrBlock, undefined);
  },
  'the same destination with the same target succeeds and changes nothing': async (network) => {
    const { eniId } = await runNode(network);
    await addRoute(network, '10.244.1.0/24', eniId);
    const before = await routesOf(network.client, network.table);
    assert.equal((await addRoute(network, '10.244.1.0/24', eniId)).Return, true);
    assert.equal((await addRoute(network, '10.244.1.9/24', eniId)).Return, true);
    assert.deepEqual(await routesOf(network.client, network.table), before);
  },
  'an instance and its only interface are the same target': async (network) => {
    const { eniId, instanceId } = await runNode(network);
    const byInstance = { RouteTableId: network.table, DestinationCidrBlock: '10.244.1.0/24', InstanceId: instanceId };
    await network.client.send(new CreateRouteCommand(byInstance));
    assert.equal((await addRoute(network, '10.244.1.0/24', eniId)).Return, true);
    const routes = await addedRoutes(network.client, network.table);
    assert.deepEqual(
      routes.map((route) => [route.NetworkInterfaceId, route.InstanceId]),
      [[eniId, instanceId]],
    );
  },
  "a subnet's own CIDR inside the VPC may be routed to an interface": async (network) => {
    const { eniId } = await runNode(network);
    assert.equal((await addRoute(network, '10.0.1.0/24', eniId)).Return, true);
  },
  "a subnet's own CIDR may be routed to a NAT gateway": async ({ client, table, subnetId }) => {
    const { NatGateway } = await client.send(new CreateNatGatewayCommand({ SubnetId: subnetId }));
    const natId = present(NatGateway?.NatGatewayId);
    const route = { RouteTableId: table, DestinationCidrBlock: '10.0.1.0/24', NatGatewayId: natId };
    assert.equal((await client.send(new CreateRouteCommand(route))).Return, true);
  },
  'wider than the VPC and overlapping with another length is accepted': async (network) => {
    const { eniId } = await runNode(network);
    for (const destination of ['10.0.0.0/8', '10.244.0.0/16', '10.244.1.0/24', '10.244.1.128/25']) {
      assert.equal((await addRoute(network, destination, eniId)).Return, true);
    }
    assert.equal((await addedRoutes(network.client, network.table)).length, 4);
  },
  'wider than a reserved range is accepted': async (network) => {
    const { eniId } = await runNode(network);
    assert.equal((await addRoute(network, '169.254.0.0/16', eniId)).Return, true);
  },
  'an unattached interface is accepted and shows a blackhole': async (network) => {
    const eniId = await makeInterface(network.client, network.subnetId);
    await addRoute(network, '10.244.1.0/24', eniId);
    assert.deepEqual(await addedRoutes(network.client, network.table), [
      { DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: eniId, Origin: 'CreateRoute', State: 'blackhole' },
    ]);
  },
  'gateways, peerings and NAT gateways come back in their own members': async ({ client, table, vpcId, subnetId }) => {
    const { InternetGateway } = await client.send(new CreateInternetGatewayCommand({}));
    const GatewayId = present(InternetGateway?.InternetGatewayId);
    await client.send(new AttachInternetGatewayCommand({ InternetGatewayId: GatewayId, VpcId: vpcId }));
    const nat = await client.send(new CreateNatGatewayCommand({ SubnetId: subnetId, ConnectivityType: 'private' }));
    const peer = { VpcId: vpcId, PeerVpcId: 'vpc-0aaaaaaaaaaaaaaaa' };
    const peering = await client.send(new CreateVpcPeeringConnectionCommand(peer));
    const NatGatewayId = present(nat.NatGateway?.NatGatewayId);
    const VpcPeeringConnectionId = present(peering.VpcPeeringConnection?.VpcPeeringConnectionId);
    const rows = [
      { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId },
      { DestinationCidrBlock: '172.16.0.0/12', VpcPeeringConnectionId },
      { DestinationIpv6CidrBlock: '::/0', GatewayId },
    ];
    for (const row of rows) await client.send(new CreateRouteCommand({ RouteTableId: table, ...row }));
    assert.deepEqual(
      await addedRoutes(client, table),
      rows.map((row) => ({ ...row, Origin: 'CreateRoute', State: 'active' })),
    );
  },
  'a gateway endpoint writes a prefix-list row into the tables it names': async ({ client, table, vpcId }) => {
    const other = await makeTable(client, vpcId);
    const { VpcEndpoint } = await client.send(
      new CreateVpcEndpointCommand({
        VpcId: vpcId,
        ServiceName: 'com.amazonaws.eu-central-1.s3',
        RouteTableIds: [table],
      }),
    );
    const [route, ...rest] = await addedRoutes(client, table);
    assert.equal(route?.GatewayId, VpcEndpoint?.VpcEndpointId);
    assert.match(route?.DestinationPrefixListId ?? '', /^pl-[0-9a-f]{8}$/);
    assert.deepEqual(rest, []);
    assert.deepEqual(await addedRoutes(client, other), []);
  },
  'a managed prefix list is one row': async (network) => {
    const { client, table } = network;
    const { eniId } = await runNode(network);
    const { PrefixList } = await client.send(
      new CreateManagedPrefixListCommand({ PrefixListName: 'offices', AddressFamily: 'IPv4', MaxEntries: 7 }),
    );
    const DestinationPrefixListId = present(PrefixList?.PrefixListId);
    await client.send(
      new CreateRouteCommand({ RouteTableId: table, DestinationPrefixListId, NetworkInterfaceId: eniId }),
    );
    assert.deepEqual(
      (await addedRoutes(client, table)).map((route) => route.DestinationPrefixListId),
      [DestinationPrefixListId],
    );
  },
  'a static row may stand beside a propagated one of the same destination': async (network) => {
    const { eniId } = await runNode(network);
    network.ec2.plantRoute(network.table, {
      DestinationCidrBlock: '10.244.1.0/24',
      GatewayId: 'vgw-0aaaaaaaaaaaaaaaa',
      Origin: 'EnableVgwRoutePropagation',
      State: 'active',
    });
    await addRoute(network, '10.244.1.0/24', eniId);
    const origins = (await addedRoutes(network.client, network.table)).map(({ Origin }) => Origin);
    assert.deepEqual(origins, ['EnableVgwRoutePropagation', 'CreateRoute']);
  },
};
