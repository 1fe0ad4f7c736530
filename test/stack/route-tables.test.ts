/** The adapter of route tables on moto's EC2, for what moto models of one. */
import { after, type TestContext, test } from 'node:test';
import {
  AssociateRouteTableCommand,
  CreateEgressOnlyInternetGatewayCommand,
  CreateManagedPrefixListCommand,
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  CreateVpcPeeringConnectionCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  type EC2Client,
  RunInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import { ec2Client, ec2WriteClient } from '../../shared/aws/clients.ts';
import { ec2RouteTables } from '../../shared/aws/route-tables.ts';
import { present } from '../contract/ec2-bench.ts';
import { type RouteTablesSubject, runRouteTablesContract } from '../contract/route-tables-contract.ts';
import { differencesOf } from './differences.ts';
import { credentials, region } from './ministack.ts';
import { startMoto } from './moto.ts';
import { versionOf } from './third-parties.ts';

const server = await startMoto();
after(() => server.close());
const version = await versionOf('moto');

test(`route tables of ${version}`, (t) => t.diagnostic(`ran on ${version}`));
runRouteTablesContract(`route tables of ${version}`, smallVpc, differencesOf('moto', 'route tables'));

/** The VPC that the contract wants. */
async function smallVpc(t: TestContext): Promise<RouteTablesSubject> {
  const options = { endpoint: server.url, region, credentials };
  const [reads, writes] = [ec2Client(options), ec2WriteClient(options)];
  t.after(() => {
    reads.destroy();
    writes.destroy();
  });
  const vpcId = await makeVpc(reads, '10.0.0.0/16');
  const subnetId = await makeSubnet(reads, vpcId, '10.0.1.0/24');
  const main = await mainTable(reads, vpcId);
  const { RouteTable } = await reads.send(new CreateRouteTableCommand({ VpcId: vpcId }));
  const named = present(RouteTable?.RouteTableId);
  await reads.send(new AssociateRouteTableCommand({ RouteTableId: named, SubnetId: subnetId }));
  return {
    tables: ec2RouteTables({ reads, writes }),
    vpcId,
    main,
    foreign: await plantForeign(reads, { vpcId, main, subnetId }),
    named,
    subnetId,
    elsewhere: await mainTable(reads, await makeVpc(reads, '10.9.0.0/16')),
    eni: await runNode(reads, subnetId),
    otherEni: await runNode(reads, subnetId),
    async stop(eniId) {
      const { NetworkInterfaces } = await reads.send(
        new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId] }),
      );
      const id = present(NetworkInterfaces?.[0]?.Attachment?.InstanceId);
      await reads.send(new StopInstancesCommand({ InstanceIds: [id] }));
    },
    // moto has no quota of routes; the case that sets one is listed as a difference.
    setLimit() {},
  };
}

async function makeVpc(client: EC2Client, CidrBlock: string): Promise<string> {
  return present((await client.send(new CreateVpcCommand({ CidrBlock }))).Vpc?.VpcId);
}

async function makeSubnet(client: EC2Client, VpcId: string, CidrBlock: string): Promise<string> {
  return present((await client.send(new CreateSubnetCommand({ VpcId, CidrBlock }))).Subnet?.SubnetId);
}

async function mainTable(client: EC2Client, vpcId: string): Promise<string> {
  const Filters = [
    { Name: 'vpc-id', Values: [vpcId] },
    { Name: 'association.main', Values: ['true'] },
  ];
  return present((await client.send(new DescribeRouteTablesCommand({ Filters }))).RouteTables?.[0]?.RouteTableId);
}

/** The ENI of a new instance. */
async function runNode(client: EC2Client, SubnetId: string): Promise<string> {
  const { Instances } = await client.send(
    new RunInstancesCommand({ ImageId: 'ami-12c6146b', InstanceType: 'm6g.large', MinCount: 1, MaxCount: 1, SubnetId }),
  );
  return present(Instances?.[0]?.NetworkInterfaces?.[0]?.NetworkInterfaceId);
}

interface Place {
  readonly vpcId: string;
  readonly main: string;
  readonly subnetId: string;
}

async function plantForeign(client: EC2Client, { vpcId, main, subnetId }: Place): Promise<string[]> {
  const nat = await client.send(new CreateNatGatewayCommand({ SubnetId: subnetId, ConnectivityType: 'private' }));
  const NatGatewayId = present(nat.NatGateway?.NatGatewayId);
  await client.send(new CreateRouteCommand({ RouteTableId: main, DestinationCidrBlock: '0.0.0.0/0', NatGatewayId }));
  const gateway = await client.send(new CreateEgressOnlyInternetGatewayCommand({ VpcId: vpcId }));
  const EgressOnlyInternetGatewayId = present(gateway.EgressOnlyInternetGateway?.EgressOnlyInternetGatewayId);
  await client.send(
    new CreateRouteCommand({ RouteTableId: main, DestinationIpv6CidrBlock: '::/0', EgressOnlyInternetGatewayId }),
  );
  const list = await client.send(
    new CreateManagedPrefixListCommand({ PrefixListName: 'others', AddressFamily: 'IPv4', MaxEntries: 5 }),
  );
  const DestinationPrefixListId = present(list.PrefixList?.PrefixListId);
  const peer = await client.send(
    new CreateVpcPeeringConnectionCommand({ VpcId: vpcId, PeerVpcId: await makeVpc(client, '10.8.0.0/16') }),
  );
  const VpcPeeringConnectionId = present(peer.VpcPeeringConnection?.VpcPeeringConnectionId);
  await client.send(new CreateRouteCommand({ RouteTableId: main, DestinationPrefixListId, VpcPeeringConnectionId }));
  return [
    `0.0.0.0/0 -> ${NatGatewayId} active`,
    `::/0 -> ${EgressOnlyInternetGatewayId} active`,
    `${DestinationPrefixListId} -> ${VpcPeeringConnectionId} active`,
  ];
}
