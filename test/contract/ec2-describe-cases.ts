/** Filters and pages. */
import assert from 'node:assert/strict';
import {
  AssociateRouteTableCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  type DescribeRouteTablesCommandInput,
  DescribeTagsCommand,
  type EC2Client,
  type Filter,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { type Cases, makeTable, present, refusal, runNode } from './ec2-bench.ts';

const tables = async (client: EC2Client, input: DescribeRouteTablesCommandInput) => {
  const answer = await client.send(new DescribeRouteTablesCommand(input));
  return { ids: answer.RouteTables?.map(({ RouteTableId }) => RouteTableId), next: answer.NextToken };
};

const found = async (client: EC2Client, ...Filters: Filter[]) => (await tables(client, { Filters })).ids;

export const describeCases: Cases = {
  'filters are joined by AND, their values by OR, with wildcards, in case': async ({ client, table, vpcId }) => {
    const other = await makeTable(client, vpcId);
    const byId = (...Values: string[]) => ({ Name: 'route-table-id', Values });
    assert.deepEqual(await found(client, byId(table, other)), [table, other]);
    assert.deepEqual(await found(client, byId(table, other), byId(other)), [other]);
    assert.deepEqual(await found(client, byId(`${other.slice(0, -1)}?`)), await found(client, byId('rtb-*')));
    assert.deepEqual(await found(client, byId('\\*')), []);
    assert.deepEqual(await found(client, byId(table.toUpperCase())), []);
    assert.equal((await found(client, { Name: 'vpc-id', Values: [vpcId] }))?.length, 3);
  },
  'associations are found by subnet and by being the main one': async ({ client, table, subnetId, vpcId }) => {
    await client.send(new AssociateRouteTableCommand({ RouteTableId: table, SubnetId: subnetId }));
    assert.deepEqual(await found(client, { Name: 'association.subnet-id', Values: [subnetId] }), [table]);
    const main = await tables(client, {
      Filters: [
        { Name: 'association.main', Values: ['true'] },
        { Name: 'vpc-id', Values: [vpcId] },
      ],
    });
    assert.equal(main.ids?.length, 1);
    assert.notDeepEqual(main.ids, [table]);
  },
  'tags are found by key and value': async ({ client, table }) => {
    await client.send(new CreateTagsCommand({ Resources: [table], Tags: [{ Key: 'network', Value: 'blue & green' }] }));
    assert.deepEqual(await found(client, { Name: 'tag:network', Values: ['blue*'] }), [table]);
    assert.deepEqual(await found(client, { Name: 'tag:network', Values: ['red'] }), []);
    assert.deepEqual(await found(client, { Name: 'tag-key', Values: ['network'] }), [table]);
    const { Tags } = await client.send(
      new DescribeTagsCommand({ Filters: [{ Name: 'resource-id', Values: [table] }] }),
    );
    const tag = { ResourceId: table, ResourceType: 'route-table', Key: 'network', Value: 'blue & green' };
    assert.deepEqual(Tags, [tag]);
  },
  'an invalid filter name: InvalidParameterValue': async ({ client }) => {
    const said = await refusal(found(client, { Name: 'colour', Values: ['red'] }));
    assert.equal(said, "400 InvalidParameterValue: The filter 'colour' is invalid");
  },
  'more than 200 values or 50 filters: FilterLimitExceeded': async ({ client }) => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => `rtb-${index}`);
    const byId = (count: number) => ({ Name: 'route-table-id', Values: values(count) });
    assert.equal(await refusal(found(client, byId(200))), 'accepted');
    assert.match(await refusal(found(client, byId(201))), /^400 FilterLimitExceeded/);
    const many = Array.from({ length: 51 }, () => byId(1));
    assert.match(await refusal(found(client, ...many)), /^400 FilterLimitExceeded/);
  },
  'a page of tables holds 100 at most, the token leads on, without it page 1 comes again': async (network) => {
    const { client, vpcId, ec2 } = network;
    for (let index = 0; index < 103; index += 1) {
      if (index % 40 === 0) ec2.advance(60);
      await makeTable(client, vpcId);
    }
    const Filters = [{ Name: 'vpc-id', Values: [vpcId] }];
    const first = await tables(client, { Filters });
    assert.equal(first.ids?.length, 100);
    assert.deepEqual(await tables(client, { Filters, MaxResults: 100 }), first);
    const second = await tables(client, { Filters, NextToken: present(first.next) });
    assert.equal(second.ids?.length, 5);
    assert.equal(second.next, undefined);
    assert.equal(new Set([...present(first.ids), ...present(second.ids)]).size, 105);
  },
  'MaxResults is held to its bounds': async ({ client, vpcId }) => {
    for (let index = 0; index < 4; index += 1) await makeTable(client, vpcId);
    assert.match(await refusal(tables(client, { MaxResults: 4 })), /^400 InvalidParameterValue/);
    assert.match(await refusal(tables(client, { MaxResults: 101 })), /^400 InvalidParameterValue/);
    assert.equal((await tables(client, { MaxResults: 5 })).ids?.length, 5);
    for (const MaxResults of [4, 1001]) {
      const instances = client.send(new DescribeInstancesCommand({ MaxResults }));
      assert.match(await refusal(instances), /^400 InvalidParameterValue/);
      const interfaces = client.send(new DescribeNetworkInterfacesCommand({ MaxResults }));
      assert.match(await refusal(interfaces), /^400 InvalidParameterValue/);
    }
  },
  'a token that was never given, or for another query, is an error': async ({ client, vpcId }) => {
    for (let index = 0; index < 5; index += 1) await makeTable(client, vpcId);
    assert.match(await refusal(tables(client, { NextToken: 'bm9uc2Vuc2U' })), /^400 InvalidNextToken/);
    const { next } = await tables(client, { MaxResults: 5 });
    const other = tables(client, {
      MaxResults: 5,
      NextToken: present(next),
      Filters: [{ Name: 'vpc-id', Values: ['*'] }],
    });
    assert.match(await refusal(other), /^400 InvalidNextToken/);
  },
  'pages of instances and interfaces': async (network) => {
    const { client, subnetId, ec2 } = network;
    ec2.advance(60);
    const run = { ImageId: 'ami-00000000000000001', MinCount: 7, MaxCount: 7, SubnetId: subnetId };
    await client.send(new RunInstancesCommand(run));
    const seen = new Set<string>();
    let NextToken: string | undefined;
    do {
      const page: Awaited<ReturnType<typeof instancePage>> = await instancePage(client, NextToken);
      assert.ok(page.ids.length <= 5);
      for (const id of page.ids) seen.add(id);
      NextToken = page.next;
    } while (NextToken !== undefined);
    assert.equal(seen.size, 7);
    const interfaces = await client.send(new DescribeNetworkInterfacesCommand({ MaxResults: 5 }));
    assert.deepEqual([interfaces.NetworkInterfaces?.length, typeof interfaces.NextToken], [5, 'string']);
  },
  'MaxResults and ids exclude each other for instances and interfaces': async (network) => {
    const { client } = network;
    const { instanceId, eniId } = await runNode(network);
    const instances = new DescribeInstancesCommand({ InstanceIds: [instanceId], MaxResults: 5 });
    assert.match(await refusal(client.send(instances)), /^400 InvalidParameterCombination/);
    const interfaces = new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId], MaxResults: 5 });
    assert.match(await refusal(client.send(interfaces)), /^400 InvalidParameterCombination/);
  },
  'instances and interfaces are found by what the keeper asks for': async (network) => {
    const { client } = network;
    const [first] = [await runNode(network), await runNode(network)];
    const instances = async (Name: string, Values: string[]) => {
      const { Reservations } = await client.send(new DescribeInstancesCommand({ Filters: [{ Name, Values }] }));
      return Reservations?.flatMap(({ Instances }) => Instances?.map(({ InstanceId }) => InstanceId));
    };
    assert.deepEqual(await instances('instance-id', [first.instanceId]), [first.instanceId]);
    assert.equal((await instances('instance-state-name', ['pending', 'running']))?.length, 2);
    assert.equal((await instances('vpc-id', [network.vpcId]))?.length, 2);
    const interfaces = async (Name: string, Values: string[]) => {
      const command = new DescribeNetworkInterfacesCommand({ Filters: [{ Name, Values }] });
      return (await client.send(command)).NetworkInterfaces?.map(({ NetworkInterfaceId }) => NetworkInterfaceId);
    };
    assert.deepEqual(await interfaces('network-interface-id', [first.eniId]), [first.eniId]);
    assert.deepEqual(await interfaces('attachment.instance-id', [first.instanceId]), [first.eniId]);
  },
};

async function instancePage(client: EC2Client, NextToken: string | undefined) {
  const answer = await client.send(new DescribeInstancesCommand({ MaxResults: 5, NextToken }));
  const instances = answer.Reservations?.flatMap(({ Instances }) => Instances ?? []) ?? [];
  return { ids: instances.map(({ InstanceId }) => present(InstanceId)), next: answer.NextToken };
}
