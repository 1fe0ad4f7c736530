/** The adapter of route tables on moto's EC2, for what moto models of one; and why not on MiniStack's. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import {
  AssociateRouteTableCommand,
  CreateEgressOnlyInternetGatewayCommand,
  CreateManagedPrefixListCommand,
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateVpcPeeringConnectionCommand,
  DeleteNetworkInterfaceCommand,
  DescribeRouteTablesCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { ec2Client, ec2WriteClient } from '../../shared/aws/clients.ts';
import { ec2RouteTables } from '../../shared/aws/route-tables.ts';
import { makeInterface, present } from '../contract/ec2-bench.ts';
import { type RouteTablesSubject, runRouteTablesContract } from '../contract/route-tables-contract.ts';
import { runVpcContract } from '../contract/vpc-contract.ts';
import { differencesOf } from './differences.ts';
import { mainTable, makeSubnet, makeVpc } from './ec2-network.ts';
import { credentials, region, startMiniStack } from './ministack.ts';
import { startMoto } from './moto.ts';
import { versionOf } from './third-parties.ts';

const servers = { moto: await startMoto(), ministack: await startMiniStack() };
after(() => Promise.all(Object.values(servers).map((server) => server.close())));

const moto = await versionOf('moto');
test(`route tables of ${moto}`, (t) => t.diagnostic(`ran on ${moto}`));
const onMoto = (t: TestContext) => smallVpc(t, servers.moto.url);
runRouteTablesContract(`route tables of ${moto}`, onMoto, differencesOf('moto', 'route tables'));
runVpcContract(`VPC of ${moto}`, onMoto);

// Once this fails, moto shows the paging of tables, too.
test('moto gives route tables all at once', async (t) => {
  const client = ec2Client({ endpoint: servers.moto.url, region, credentials });
  t.after(() => client.destroy());
  const VpcId = await makeVpc(client, '10.0.0.0/16');
  for (let left = 6; left > 0; left -= 1) await client.send(new CreateRouteTableCommand({ VpcId }));
  const Filters = [{ Name: 'vpc-id', Values: [VpcId] }];
  const page = await client.send(new DescribeRouteTablesCommand({ Filters, MaxResults: 5 }));
  assert.deepEqual([page.RouteTables?.length, page.NextToken], [7, undefined]);
});

// Once this fails, the contract can be tried on MiniStack too, and perhaps the whole stack without our EC2.
test('MiniStack forgets the next hop of a route, so that its EC2 cannot be under the contract', async (t) => {
  t.diagnostic(`ran on ${await versionOf('ministack')}`);
  const client = ec2Client({ endpoint: servers.ministack.url, region, credentials });
  t.after(() => client.destroy());
  const vpcId = await makeVpc(client, '10.0.0.0/16');
  const NetworkInterfaceId = await makeInterface(client, await makeSubnet(client, vpcId, '10.0.1.0/24'));
  const RouteTableId = await mainTable(client, vpcId);
  const DestinationCidrBlock = '10.244.1.0/24';
  await client.send(new CreateRouteCommand({ RouteTableId, DestinationCidrBlock, NetworkInterfaceId }));
  const { RouteTables } = await client.send(new DescribeRouteTablesCommand({ RouteTableIds: [RouteTableId] }));
  const row = RouteTables?.[0]?.Routes?.find((each) => each.DestinationCidrBlock === DestinationCidrBlock);
  assert.deepEqual([row?.NetworkInterfaceId, row?.GatewayId], [undefined, 'local']);
});

/** The VPC that the contract wants. */
async function smallVpc(t: TestContext, endpoint: string): Promise<RouteTablesSubject> {
  const options = { endpoint, region, credentials };
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
    eni: await makeInterface(reads, subnetId),
    otherEni: await makeInterface(reads, subnetId),
    async stop(eniId) {
      await reads.send(new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: eniId }));
    },
    // moto has no quota of routes; the case that sets one is listed as a difference.
    setLimit() {},
  };
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
