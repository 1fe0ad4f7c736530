/** VPCs, subnets, associations, interfaces and what an instance shows of them. */
import assert from 'node:assert/strict';
import {
  AssociateRouteTableCommand,
  AssociateVpcCidrBlockCommand,
  AttachNetworkInterfaceCommand,
  CreateNetworkInterfaceCommand,
  CreateSubnetCommand,
  DeleteNetworkInterfaceCommand,
  DeleteRouteTableCommand,
  DeleteSubnetCommand,
  DescribeInstancesCommand,
  DescribeNatGatewaysCommand,
  DescribeNetworkInterfaceAttributeCommand,
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  DisassociateRouteTableCommand,
  ModifyInstanceAttributeCommand,
  ModifyNetworkInterfaceAttributeCommand,
  ReplaceRouteTableAssociationCommand,
  RunInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  type Cases,
  describeTable,
  makeInterface,
  makeTable,
  present,
  reaches,
  refusal,
  routesOf,
  runNode,
} from './ec2-bench.ts';

export const networkCases: Cases = {
  'a table is born with one local route per CIDR of the VPC': async ({ client, table, ipv6Block }) => {
    const local = { GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };
    assert.deepEqual(await routesOf(client, table), [
      { DestinationCidrBlock: '10.0.0.0/16', ...local },
      { DestinationIpv6CidrBlock: ipv6Block, ...local },
    ]);
  },
  'a CIDR added to the VPC becomes a local route of all its tables': async ({ client, table, vpcId }) => {
    await client.send(new AssociateVpcCidrBlockCommand({ VpcId: vpcId, CidrBlock: '10.1.0.0/16' }));
    await client.send(new AssociateVpcCidrBlockCommand({ VpcId: vpcId, AmazonProvidedIpv6CidrBlock: true }));
    const local = (await routesOf(client, table)).filter(({ GatewayId }) => GatewayId === 'local');
    assert.deepEqual(local.map((route) => route.DestinationCidrBlock).filter(Boolean), ['10.0.0.0/16', '10.1.0.0/16']);
    assert.equal(new Set(local.map((route) => route.DestinationIpv6CidrBlock).filter(Boolean)).size, 2);
    const { Vpcs } = await client.send(new DescribeVpcsCommand({ VpcIds: [vpcId] }));
    assert.equal(Vpcs?.[0]?.CidrBlockAssociationSet?.length, 2);
  },
  'associations move, end, and keep a table from being deleted': async ({ client, table, vpcId, subnetId }) => {
    const other = await makeTable(client, vpcId);
    const associated = await client.send(new AssociateRouteTableCommand({ RouteTableId: table, SubnetId: subnetId }));
    assert.equal(associated.AssociationState?.State, 'associated');
    const AssociationId = present(associated.AssociationId);
    assert.match(
      await refusal(client.send(new AssociateRouteTableCommand({ RouteTableId: other, SubnetId: subnetId }))),
      /^400 Resource\.AlreadyAssociated/,
    );
    assert.equal(
      await refusal(client.send(new DeleteRouteTableCommand({ RouteTableId: table }))),
      `400 DependencyViolation: The routeTable '${table}' has dependencies and cannot be deleted.`,
    );
    const { NewAssociationId } = await client.send(
      new ReplaceRouteTableAssociationCommand({ AssociationId, RouteTableId: other }),
    );
    assert.deepEqual((await describeTable(client, table)).Associations, []);
    assert.deepEqual((await describeTable(client, other)).Associations, [
      {
        Main: false,
        RouteTableAssociationId: NewAssociationId,
        RouteTableId: other,
        SubnetId: subnetId,
        AssociationState: { State: 'associated' },
      },
    ]);
    await client.send(new DisassociateRouteTableCommand({ AssociationId: present(NewAssociationId) }));
    await client.send(new DeleteRouteTableCommand({ RouteTableId: other }));
    const gone = client.send(new DescribeRouteTablesCommand({ RouteTableIds: [other] }));
    assert.match(await refusal(gone), /^400 InvalidRouteTableID\.NotFound/);
  },
  'the main table cannot be deleted; main passes on with its association': async ({ client, table, vpcId }) => {
    const { RouteTables } = await client.send(
      new DescribeRouteTablesCommand({
        Filters: [
          { Name: 'association.main', Values: ['true'] },
          { Name: 'vpc-id', Values: [vpcId] },
        ],
      }),
    );
    const main = present(RouteTables?.[0]);
    const RouteTableId = present(main.RouteTableId);
    const deletion = client.send(new DeleteRouteTableCommand({ RouteTableId }));
    assert.match(await refusal(deletion), /^400 DependencyViolation/);
    const AssociationId = present(main.Associations?.[0]?.RouteTableAssociationId);
    await client.send(new ReplaceRouteTableAssociationCommand({ AssociationId, RouteTableId: table }));
    assert.equal((await describeTable(client, table)).Associations?.[0]?.Main, true);
    await client.send(new DeleteRouteTableCommand({ RouteTableId }));
  },
  'a subnet lies in its VPC and overlaps no other': async ({ client, vpcId, subnetId }) => {
    const create = (CidrBlock: string) => refusal(client.send(new CreateSubnetCommand({ VpcId: vpcId, CidrBlock })));
    assert.match(await create('10.9.0.0/24'), /^400 InvalidSubnet\.Range/);
    assert.match(await create('10.0.1.128/25'), /^400 InvalidSubnet\.Conflict/);
    await makeInterface(client, subnetId);
    const removal = client.send(new DeleteSubnetCommand({ SubnetId: subnetId }));
    assert.match(await refusal(removal), /^400 DependencyViolation/);
    const { Subnets } = await client.send(
      new DescribeSubnetsCommand({ Filters: [{ Name: 'vpc-id', Values: [vpcId] }] }),
    );
    assert.deepEqual(
      Subnets?.map((one) => [one.SubnetId, one.CidrBlock, one.AvailableIpAddressCount, one.MapPublicIpOnLaunch]),
      [[subnetId, '10.0.1.0/24', 250, false]],
    );
  },
  'an instance shows its interfaces with check, addresses, MAC and attachment': async (network) => {
    const { client, subnetId, vpcId } = network;
    const { instanceId, eniId } = await runNode(network, { PrivateIpAddress: '10.0.1.77', Ipv6AddressCount: 1 });
    const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    const instance = present(Reservations?.[0]?.Instances?.[0]);
    assert.match(instanceId, /^i-[0-9a-f]{17}$/);
    assert.equal(instance.PrivateIpAddress, '10.0.1.77');
    assert.ok(instance.LaunchTime instanceof Date);
    const [held] = present(instance.NetworkInterfaces);
    assert.deepEqual(
      [held?.NetworkInterfaceId, held?.SubnetId, held?.VpcId, held?.SourceDestCheck, held?.PrivateIpAddress],
      [eniId, subnetId, vpcId, true, '10.0.1.77'],
    );
    assert.deepEqual(held?.PrivateIpAddresses, [{ Primary: true, PrivateIpAddress: '10.0.1.77' }]);
    assert.match(held?.Ipv6Addresses?.[0]?.Ipv6Address ?? '', /^2a05:d014:/);
    assert.match(held?.MacAddress ?? '', /^02(:[0-9a-f]{2}){5}$/);
    assert.deepEqual([held?.Attachment?.DeviceIndex, held?.Attachment?.DeleteOnTermination], [0, true]);
    assert.match(held?.Attachment?.AttachmentId ?? '', /^eni-attach-/);
  },
  'the source/destination check is read and changed, by interface and by instance': async (network) => {
    const { client } = network;
    const { instanceId, eniId } = await runNode(network);
    const read = async () => {
      const command = new DescribeNetworkInterfaceAttributeCommand({
        NetworkInterfaceId: eniId,
        Attribute: 'sourceDestCheck',
      });
      return (await client.send(command)).SourceDestCheck?.Value;
    };
    assert.equal(await read(), true);
    const SourceDestCheck = { Value: false };
    await client.send(new ModifyNetworkInterfaceAttributeCommand({ NetworkInterfaceId: eniId, SourceDestCheck }));
    assert.equal(await read(), false);
    await client.send(new ModifyInstanceAttributeCommand({ InstanceId: instanceId, SourceDestCheck: { Value: true } }));
    assert.equal(await read(), true);
  },
  'instances take several interfaces, made and given, at launch': async (network) => {
    const { client, subnetId } = network;
    const given = await makeInterface(client, subnetId);
    const { Instances } = await client.send(
      new RunInstancesCommand({
        ImageId: 'ami-00000000000000001',
        MinCount: 1,
        MaxCount: 1,
        NetworkInterfaces: [
          { DeviceIndex: 0, SubnetId: subnetId, PrivateIpAddress: '10.0.1.20' },
          { DeviceIndex: 1, NetworkInterfaceId: given },
        ],
      }),
    );
    const held = present(Instances?.[0]?.NetworkInterfaces);
    assert.deepEqual(
      held.map(({ Attachment }) => [Attachment?.DeviceIndex, Attachment?.DeleteOnTermination]),
      [
        [0, true],
        [1, false],
      ],
    );
    assert.deepEqual([held[0]?.PrivateIpAddress, held[1]?.NetworkInterfaceId], ['10.0.1.20', given]);
  },
  'an address is given once only': async ({ client, subnetId }) => {
    const create = (PrivateIpAddress: string) =>
      client.send(new CreateNetworkInterfaceCommand({ SubnetId: subnetId, PrivateIpAddress }));
    await create('10.0.1.20');
    assert.match(await refusal(create('10.0.1.20')), /^400 InvalidIPAddress\.InUse/);
    assert.match(await refusal(create('10.0.2.20')), /^400 InvalidParameterValue/);
    assert.match(await refusal(create('10.0.1.3')), /^400 InvalidParameterValue/);
  },
  'an interface in use is neither attached again nor deleted': async (network) => {
    const { client } = network;
    const [first, second] = [await runNode(network), await runNode(network)];
    const attach = new AttachNetworkInterfaceCommand({
      InstanceId: second.instanceId,
      NetworkInterfaceId: first.eniId,
      DeviceIndex: 1,
    });
    assert.match(await refusal(client.send(attach)), /^400 InvalidNetworkInterface\.InUse/);
    const removal = client.send(new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: first.eniId }));
    assert.match(await refusal(removal), /currently in use/);
  },
  'a repeated client token launches nothing': async (network) => {
    const ClientToken = 'once';
    const [first, second] = [await runNode(network, { ClientToken }), await runNode(network, { ClientToken })];
    assert.deepEqual(second, first);
  },
  'states change from where they may only': async (network) => {
    const { client } = network;
    const { instanceId } = await runNode(network);
    const { StoppingInstances } = await client.send(new StopInstancesCommand({ InstanceIds: [instanceId] }));
    assert.deepEqual(StoppingInstances, [
      {
        InstanceId: instanceId,
        CurrentState: { Code: 64, Name: 'stopping' },
        PreviousState: { Code: 16, Name: 'running' },
      },
    ]);
    await reaches(client, instanceId, 'stopped');
    const unknown = new StopInstancesCommand({ InstanceIds: [instanceId, 'i-0aaaaaaaaaaaaaaaa'] });
    assert.match(await refusal(client.send(unknown)), /^400 InvalidInstanceID\.NotFound/);
  },
  'an unknown NAT gateway is named as such': async ({ client }) => {
    const call = client.send(new DescribeNatGatewaysCommand({ NatGatewayIds: ['nat-0aaaaaaaaaaaaaaaa'] }));
    assert.match(await refusal(call), /^400 NatGatewayNotFound/);
  },
};
