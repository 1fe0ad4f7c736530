/** CreateRoute where EC2 refuses it: code, text and HTTP status. */
import assert from 'node:assert/strict';
import {
  AttachNetworkInterfaceCommand,
  CreateManagedPrefixListCommand,
  CreateRouteCommand,
  type CreateRouteCommandInput,
  CreateVpcPeeringConnectionCommand,
  ModifyInstanceAttributeCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  addedRoutes,
  addRoute,
  type Cases,
  makeInterface,
  makeNetwork,
  type Network,
  present,
  reaches,
  refusal,
  runNode,
} from './ec2-bench.ts';

const refused = (network: Network, route: Omit<CreateRouteCommandInput, 'RouteTableId'> & { RouteTableId?: string }) =>
  refusal(network.client.send(new CreateRouteCommand({ RouteTableId: network.table, ...route })));

const toInterface = { NetworkInterfaceId: 'eni-0aaaaaaaaaaaaaaaa' };
const destination = { DestinationCidrBlock: '10.244.1.0/24' };

async function peeringOf({ client, vpcId }: Network): Promise<string> {
  const peer = { VpcId: vpcId, PeerVpcId: 'vpc-0aaaaaaaaaaaaaaaa' };
  const { VpcPeeringConnection } = await client.send(new CreateVpcPeeringConnectionCommand(peer));
  return present(VpcPeeringConnection?.VpcPeeringConnectionId);
}

export const routeRefusalCases: Cases = {
  'same destination, other target: RouteAlreadyExists': async (network) => {
    const [first, second] = [await runNode(network), await runNode(network)];
    await addRoute(network, '10.244.1.0/24', first.eniId);
    const said = await refusal(addRoute(network, '10.244.1.5/24', second.eniId));
    assert.equal(said, '400 RouteAlreadyExists: The route identified by 10.244.1.0/24 already exists.');
    const [route] = await addedRoutes(network.client, network.table);
    assert.equal(route?.NetworkInterfaceId, first.eniId);
  },
  'same destination as a blackhole, other target: RouteAlreadyExists': async (network) => {
    const dead = await makeInterface(network.client, network.subnetId);
    const { eniId } = await runNode(network);
    await addRoute(network, '10.244.1.0/24', dead);
    assert.match(await refusal(addRoute(network, '10.244.1.0/24', eniId)), /^400 RouteAlreadyExists:/);
  },
  "the VPC's CIDR to an interface: RouteAlreadyExists": async (network) => {
    const { eniId } = await runNode(network);
    const said = await refusal(addRoute(network, '10.0.0.0/16', eniId));
    assert.equal(said, '400 RouteAlreadyExists: The route identified by 10.0.0.0/16 already exists.');
  },
  "the VPC's CIDR to a peering: InvalidParameterValue": async (network) => {
    const VpcPeeringConnectionId = await peeringOf(network);
    assert.equal(
      await refused(network, { DestinationCidrBlock: '10.0.0.0/16', VpcPeeringConnectionId }),
      '400 InvalidParameterValue: Route target is not supported. This route only supports interface and instance targets.',
    );
  },
  "inside the VPC and no subnet's CIDR: InvalidParameterValue": async (network) => {
    const { eniId } = await runNode(network);
    const text = "400 InvalidParameterValue: Route destination doesn't match any subnet CIDR blocks.";
    assert.equal(await refusal(addRoute(network, '10.0.1.0/25', eniId)), text);
    assert.equal(await refusal(addRoute(network, '10.0.7.0/24', eniId)), text);
    const DestinationIpv6CidrBlock = network.ipv6Block.replace(/\/56$/, '/60');
    assert.equal(await refused(network, { DestinationIpv6CidrBlock, NetworkInterfaceId: eniId }), text);
  },
  "a subnet's CIDR to a peering: InvalidParameterValue": async (network) => {
    const VpcPeeringConnectionId = await peeringOf(network);
    const said = await refused(network, { DestinationCidrBlock: '10.0.1.0/24', VpcPeeringConnectionId });
    assert.match(said, /^400 InvalidParameterValue: Route target is not supported/);
  },
  'within a reserved range: InvalidParameterValue': async (network) => {
    const { eniId } = await runNode(network);
    assert.match(await refusal(addRoute(network, '169.254.169.254/32', eniId)), /^400 InvalidParameterValue:/);
    const DestinationIpv6CidrBlock = 'fd00:ec2::/64';
    const said = await refused(network, { DestinationIpv6CidrBlock, NetworkInterfaceId: eniId });
    assert.match(said, /^400 InvalidParameterValue:/);
  },
  'text that is no CIDR: InvalidParameterValue': async (network) => {
    const { eniId } = await runNode(network);
    for (const cidr of ['::/0', '10.244.0.0/33', '10.244.0.0', '10.244.00.0/24', '10.244/16', 'x']) {
      assert.equal(
        await refusal(addRoute(network, cidr, eniId)),
        `400 InvalidParameterValue: Value (${cidr}) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.`,
      );
    }
    assert.equal(
      await refused(network, { DestinationIpv6CidrBlock: '10.0.0.0/8', NetworkInterfaceId: eniId }),
      '400 InvalidParameterValue: Value (10.0.0.0/8) for parameter destinationIpv6CidrBlock is invalid. This is not a valid CIDR block.',
    );
  },
  'no target: MissingParameter': async (network) => {
    const said = await refused(network, destination);
    assert.match(said, /^400 MissingParameter: The request must contain exactly one of gatewayId/);
  },
  'two targets: InvalidParameterCombination': async (network) => {
    const said = await refused(network, { ...destination, ...toInterface, InstanceId: 'i-0aaaaaaaaaaaaaaaa' });
    assert.match(said, /^400 InvalidParameterCombination:/);
  },
  'no destination: MissingParameter': async (network) => {
    assert.match(await refused(network, toInterface), /^400 MissingParameter:/);
  },
  'unknown route table: InvalidRouteTableID.NotFound': async (network) => {
    assert.equal(
      await refused(network, { RouteTableId: 'rtb-0aaaaaaaaaaaaaaaa', ...destination, ...toInterface }),
      "400 InvalidRouteTableID.NotFound: The routeTable ID 'rtb-0aaaaaaaaaaaaaaaa' does not exist",
    );
  },
  'malformed route table: InvalidRouteTableId.Malformed': async (network) => {
    assert.equal(
      await refused(network, { RouteTableId: 'vpc-0aaaaaaaaaaaaaaaa', ...destination, ...toInterface }),
      '400 InvalidRouteTableId.Malformed: Invalid id: "vpc-0aaaaaaaaaaaaaaaa" (expecting "rtb-...")',
    );
  },
  'unknown interface: InvalidNetworkInterfaceID.NotFound': async (network) => {
    assert.equal(
      await refused(network, { ...destination, ...toInterface }),
      "400 InvalidNetworkInterfaceID.NotFound: The networkInterface ID 'eni-0aaaaaaaaaaaaaaaa' does not exist",
    );
  },
  'malformed interface: InvalidNetworkInterfaceId.Malformed': async (network) => {
    const said = await refused(network, { ...destination, NetworkInterfaceId: 'eni-xyz' });
    assert.match(said, /^400 InvalidNetworkInterfaceId\.Malformed: Invalid id: "eni-xyz"/);
  },
  'unknown instance: InvalidInstanceID.NotFound': async (network) => {
    assert.equal(
      await refused(network, { ...destination, InstanceId: 'i-0aaaaaaaaaaaaaaaa' }),
      "400 InvalidInstanceID.NotFound: The instance ID 'i-0aaaaaaaaaaaaaaaa' does not exist",
    );
  },
  'malformed instance: InvalidInstanceID.Malformed': async (network) => {
    const said = await refused(network, { ...destination, InstanceId: 'i-xyz' });
    assert.match(said, /^400 InvalidInstanceID\.Malformed: Invalid id: "i-xyz"/);
  },
  'an instance with two interfaces: InvalidInstanceID, also for its source/destination check': async (network) => {
    const { instanceId } = await runNode(network);
    const second = await makeInterface(network.client, network.subnetId);
    const attach = { InstanceId: instanceId, NetworkInterfaceId: second, DeviceIndex: 1 };
    await network.client.send(new AttachNetworkInterfaceCommand(attach));
    const text = `400 InvalidInstanceID: There are multiple interfaces attached to instance '${instanceId}'. Please specify an interface ID for the operation instead.`;
    assert.equal(await refused(network, { ...destination, InstanceId: instanceId }), text);
    const modify = new ModifyInstanceAttributeCommand({ InstanceId: instanceId, SourceDestCheck: { Value: false } });
    assert.equal(await refusal(network.client.send(modify)), text);
  },
  'an instance without interfaces: InvalidParameterValue': async (network) => {
    const { instanceId } = await runNode(network);
    await network.client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
    await reaches(network.client, instanceId, 'terminated');
    assert.equal(
      await refused(network, { ...destination, InstanceId: instanceId }),
      `400 InvalidParameterValue: Invalid value '${instanceId}' for instance ID. Instance is not in a VPC.`,
    );
  },
  'an interface in another VPC: InvalidParameterValue': async (network) => {
    const elsewhere = await makeNetwork(network.ec2);
    const eniId = await makeInterface(network.client, elsewhere.subnetId);
    assert.equal(
      await refusal(addRoute(network, '10.244.1.0/24', eniId)),
      `400 InvalidParameterValue: Route table ${network.table} and interface ${eniId} belong to different networks`,
    );
  },
  'a full table: RouteLimitExceeded': async (network) => {
    const { eniId } = await runNode(network);
    network.ec2.setRouteLimit(network.table, 2);
    await addRoute(network, '10.244.1.0/24', eniId);
    await addRoute(network, '10.244.2.0/24', eniId);
    const said = await refusal(addRoute(network, '10.244.3.0/24', eniId));
    assert.equal(said, '400 RouteLimitExceeded: The maximum number of routes has been reached.');
    assert.equal((await addRoute(network, '10.244.2.0/24', eniId)).Return, true);
  },
  'IPv4 and IPv6 routes are counted apart': async (network) => {
    const { eniId } = await runNode(network);
    network.ec2.setRouteLimit(undefined, 1);
    await addRoute(network, '10.244.1.0/24', eniId);
    const ipv6 = (index: number) =>
      refused(network, { DestinationIpv6CidrBlock: `fd00:244:0:${index}::/64`, NetworkInterfaceId: eniId });
    assert.equal(await ipv6(1), 'accepted');
    assert.match(await ipv6(2), /RouteLimitExceeded/);
  },
  'a prefix list counts by its maximum entries, a propagated route not at all': async (network) => {
    const { client, table, ec2 } = network;
    const { eniId } = await runNode(network);
    ec2.setRouteLimit(table, 5);
    ec2.plantRoute(table, {
      DestinationCidrBlock: '192.168.0.0/16',
      GatewayId: 'vgw-0aaaaaaaaaaaaaaaa',
      Origin: 'EnableVgwRoutePropagation',
      State: 'active',
    });
    const { PrefixList } = await client.send(
      new CreateManagedPrefixListCommand({ PrefixListName: 'offices', AddressFamily: 'IPv4', MaxEntries: 4 }),
    );
    const toOffices = { DestinationPrefixListId: present(PrefixList?.PrefixListId), NetworkInterfaceId: eniId };
    assert.equal(await refused(network, toOffices), 'accepted');
    await addRoute(network, '10.244.1.0/24', eniId);
    assert.match(await refusal(addRoute(network, '10.244.2.0/24', eniId)), /RouteLimitExceeded/);
  },
  'the quota is 500 unless set': async (network) => {
    const { eniId } = await runNode(network);
    for (let index = 0; index < 500; index += 1) {
      network.ec2.plantRoute(network.table, {
        DestinationCidrBlock: `172.20.${Math.floor(index / 256)}.${index % 256}/32`,
        NetworkInterfaceId: eniId,
        Origin: 'CreateRoute',
        State: 'active',
      });
    }
    assert.match(await refusal(addRoute(network, '10.244.2.0/24', eniId)), /RouteLimitExceeded/);
  },
  'a dry run answers DryRunOperation with status 412 and creates nothing': async (network) => {
    const { eniId } = await runNode(network);
    assert.equal(
      await refused(network, { ...destination, NetworkInterfaceId: eniId, DryRun: true }),
      '412 DryRunOperation: Request would have succeeded, but DryRun flag is set.',
    );
    assert.deepEqual(await addedRoutes(network.client, network.table), []);
  },
};
