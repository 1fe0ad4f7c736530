/** The product with nothing of this project beside it: the stack on MiniStack, its EC2 on moto. Steps go on from one another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  type EC2Client,
  ReplaceRouteCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { stackNamed } from '../../cli/stack-functions.ts';
import { ec2Client } from '../../shared/aws/clients.ts';
import { present } from '../contract/ec2-bench.ts';
import { Deployment, type OtherEc2 } from './deployment.ts';
import { makeSubnet, makeVpc, runInstance } from './ec2-network.ts';
import { credentials, region } from './ministack.ts';
import { startMoto } from './moto.ts';
import { versionOf } from './third-parties.ts';
import { until } from './until.ts';

test('the stack on MiniStack with the EC2 of moto', async (t) => {
  t.diagnostic(`ran on ${await versionOf('ministack')}, ${await versionOf('moto')}`);
  const server = await startMoto();
  const ec2 = ec2Client({ endpoint: server.url, region, credentials });
  const other: OtherEc2 = {
    url: server.url,
    rows: async (tableId) => {
      const { RouteTables } = await ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: [tableId] }));
      return present(RouteTables?.[0]?.Routes);
    },
    async close() {
      ec2.destroy();
      await server.close();
    },
  };
  const stack = await Deployment.start(other);
  t.after(() => stack.close());
  const { listed, unlisted, nodes } = await landscape(ec2);
  const [first, second] = nodes;
  const cli = stackNamed('leaseway', { endpoint: stack.url, region, credentials });
  const foreign = await rowsOf([...listed, unlisted]);

  function rowsOf(tables: readonly string[]): Promise<string[][]> {
    return Promise.all(tables.map((id) => stack.rows(id)));
  }

  async function routed(subnet: string, hop: string): Promise<void> {
    await until(async () => assert.deepEqual(await stack.hops(subnet, listed), [hop, hop]));
  }

  async function join({ instanceId, eniId }: Node): Promise<string> {
    await stack.claim(instanceId, `claim-of-${instanceId}`);
    const subnet = await until(async () => {
      const answer = await stack.answer(instanceId);
      assert.equal(answer?.claimId, `claim-of-${instanceId}`);
      assert.equal(answer.status, 'granted', JSON.stringify(answer));
      return present(answer.subnet);
    });
    await routed(subnet, `${eniId} active`);
    return subnet;
  }

  await stack.deploy({ RouteTableIds: listed.join(',') });
  await stack.configure(listed);

  await t.test('a claim becomes routes in the listed tables, and the check of its interface goes off', async () => {
    const subnet = await join(first);
    assert.deepEqual(await stack.hops(subnet, [unlisted]), ['none']);
    const command = new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [first.eniId, second.eniId] });
    const { NetworkInterfaces = [] } = await ec2.send(command);
    const checks = new Map(NetworkInterfaces.map((each) => [each.NetworkInterfaceId, each.SourceDestCheck]));
    assert.deepEqual([checks.get(first.eniId), checks.get(second.eniId)], [false, true]);
  });

  await t.test('routes go while the instance is stopped, and for good when it is terminated', async () => {
    const subnet = await join(second);
    const InstanceIds = [second.instanceId];
    await ec2.send(new StopInstancesCommand({ InstanceIds }));
    stack.event(second.instanceId, 'stopped');
    await routed(subnet, 'none');
    await ec2.send(new StartInstancesCommand({ InstanceIds }));
    stack.event(second.instanceId, 'running');
    await routed(subnet, `${second.eniId} active`);
    await ec2.send(new TerminateInstancesCommand({ InstanceIds }));
    stack.event(second.instanceId, 'terminated');
    await routed(subnet, 'none');
  });

  await t.test('a resync puts right what someone turned', async () => {
    const subnet = present((await stack.answer(first.instanceId))?.subnet);
    const other = await runInstance(ec2, first.subnetId);
    await ec2.send(
      new ReplaceRouteCommand({
        RouteTableId: listed[1],
        DestinationCidrBlock: subnet,
        NetworkInterfaceId: present(other.NetworkInterfaces?.[0]?.NetworkInterfaceId),
      }),
    );
    const report = await cli.call('resync', {});
    assert.deepEqual(await stack.hops(subnet, listed), Array(2).fill(`${first.eniId} active`), JSON.stringify(report));
  });

  await t.test('the CLI says what a function refuses, and which there is not', async () => {
    const refused = cli.call('keep-leases', { command: 'network-apply', config: '{"Network": "10.244.0.0/33"}' });
    await assert.rejects(refused, { name: 'UserError', message: /^config\.Network: .*10\.244\.0\.0\/33/ });
    const nobody = stackNamed('nobody', { endpoint: stack.url, region, credentials });
    await assert.rejects(nobody.call('resync', {}), { name: 'UserError', message: /no function nobody-resync/ });
  });

  await t.test('foreign rows are what they were', async () => {
    const now = await rowsOf([...listed, unlisted]);
    for (const [at, rows] of foreign.entries()) {
      assert.deepEqual(
        rows.filter((row) => !now[at]?.includes(row)),
        [],
      );
    }
  });
});

interface Node {
  readonly instanceId: string;
  readonly eniId: string;
  readonly subnetId: string;
}

/** A VPC with three tables, each with its own default route, and two nodes. */
async function landscape(ec2: EC2Client) {
  const vpcId = await makeVpc(ec2, '10.0.0.0/16');
  const tables: string[] = [];
  const nodes: Node[] = [];
  for (const zone of [1, 2, 3]) {
    const subnetId = await makeSubnet(ec2, vpcId, `10.0.${zone}.0/24`);
    const { RouteTable } = await ec2.send(new CreateRouteTableCommand({ VpcId: vpcId }));
    const table = present(RouteTable?.RouteTableId);
    const nat = await ec2.send(new CreateNatGatewayCommand({ SubnetId: subnetId, ConnectivityType: 'private' }));
    const NatGatewayId = present(nat.NatGateway?.NatGatewayId);
    await ec2.send(new CreateRouteCommand({ RouteTableId: table, DestinationCidrBlock: '0.0.0.0/0', NatGatewayId }));
    tables.push(table);
    const { InstanceId, NetworkInterfaces } = await runInstance(ec2, subnetId);
    const eniId = present(NetworkInterfaces?.[0]?.NetworkInterfaceId);
    nodes.push({ instanceId: present(InstanceId), eniId, subnetId });
  }
  const [first, second, unlisted] = tables;
  return {
    listed: [present(first), present(second)],
    unlisted: present(unlisted),
    nodes: [present(nodes[0]), present(nodes[1])] as const,
  };
}
