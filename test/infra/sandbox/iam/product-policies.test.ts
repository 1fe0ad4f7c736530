import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateRouteCommand,
  DescribeRouteTablesCommand,
  ModifyNetworkInterfaceAttributeCommand,
} from '@aws-sdk/client-ec2';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

const templateFile = fileURLToPath(new URL('../../../../infra/template.yaml', import.meta.url));
const sandbox = await fixtureSandbox({
  templateFile,
  stackName: 's',
  functions: false,
  parameters: { RouteTableIds: 'rtb-0aaaa,rtb-0bbbb' },
});
const tagged = await fixtureSandbox({
  templateFile,
  stackName: 's',
  functions: false,
  parameters: { RouteTableIds: 'rtb-0aaaa', RouteTableTag: 'blue' },
});

const denied = { name: 'AccessDeniedException' };
const unauthorized = { name: 'UnauthorizedOperation' };
const own = { pk: { S: 'arn:aws:ec2:eu-central-1:123456789012:instance/i-0aaa' }, sk: { S: 'claim' } };
const others = { ...own, pk: { S: 'arn:aws:ec2:eu-central-1:123456789012:instance/i-0bbb' } };
const claims = { TableName: 's-ClaimsTable' };
const map = { TableName: 's-MapTable' };
const leases = { TableName: 's-LeasesTable' };

const as = (functionId: string, where = sandbox) => clients(where, `LAMBDA.${functionId}.1`);
const createRoute = (RouteTableId: string) =>
  new CreateRouteCommand({ RouteTableId, DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: 'eni-0aaaa' });
/** EC2's own refusals, which come after IAM has let the call through. */
const allowed = /^Invalid(RouteTableI[dD]|NetworkInterfaceI[dD])\./;

test('a node writes, reads and deletes its own claim', async () => {
  const { dynamodb } = clients(sandbox, 'NODEi-0aaa');
  await dynamodb.send(new PutItemCommand({ ...claims, Item: own }));
  await dynamodb.send(new GetItemCommand({ ...claims, Key: own }));
  await dynamodb.send(new DeleteItemCommand({ ...claims, Key: own }));
});

test("a node reaches no other node's claim", async () => {
  const { dynamodb } = clients(sandbox, 'NODEi-0aaa');
  await assert.rejects(dynamodb.send(new PutItemCommand({ ...claims, Item: others })), denied);
  await assert.rejects(dynamodb.send(new GetItemCommand({ ...claims, Key: others })), denied);
  await assert.rejects(dynamodb.send(new DeleteItemCommand({ ...claims, Key: others })), denied);
  await assert.rejects(
    dynamodb.send(new UpdateItemCommand({ ...claims, Key: own, UpdateExpression: 'SET a = pk' })),
    denied,
  );
  await assert.rejects(dynamodb.send(new ScanCommand(claims)), denied);
  await assert.rejects(
    dynamodb.send(new BatchGetItemCommand({ RequestItems: { [claims.TableName]: { Keys: [own] } } })),
    denied,
  );
});

test("a node reads its network's map item by item, and nothing else", async () => {
  const { dynamodb, ec2 } = clients(sandbox, 'NODEi-0aaa');
  const head = { pk: { S: 'network#default' }, sk: { S: 'head' } };
  await dynamodb.send(new GetItemCommand({ ...map, Key: head }));
  await assert.rejects(
    dynamodb.send(new GetItemCommand({ ...map, Key: { ...head, pk: { S: 'network#other' } } })),
    denied,
  );
  await assert.rejects(dynamodb.send(new PutItemCommand({ ...map, Item: head })), denied);
  const ExpressionAttributeValues = { ':pk': head.pk };
  await assert.rejects(
    dynamodb.send(new QueryCommand({ ...map, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues })),
    denied,
  );
  await assert.rejects(dynamodb.send(new GetItemCommand({ ...leases, Key: head })), denied);
  await assert.rejects(ec2.send(new DescribeRouteTablesCommand({})), unauthorized);
});

test('routes are written by the sync alone, and in the listed tables alone', async () => {
  for (const id of ['SyncRoutesFunction', 'ResyncFunction']) {
    for (const table of ['rtb-0aaaa', 'rtb-0bbbb']) {
      await assert.rejects(as(id).ec2.send(createRoute(table)), { name: allowed });
    }
    await assert.rejects(as(id).ec2.send(createRoute('rtb-0cccc')), unauthorized);
  }
  for (const id of ['KeepLeasesFunction', 'PublishLeaseChangesFunction']) {
    await assert.rejects(as(id).ec2.send(createRoute('rtb-0aaaa')), unauthorized);
  }
});

test('by tag, routes are written in tables that carry it alone', async () => {
  const table = (RouteTableId: string, Value: string) => ({
    RouteTableId,
    VpcId: 'vpc-0a',
    Routes: [],
    Associations: [],
    Tags: [{ Key: 'leaseway', Value }],
  });
  tagged.ec2.seed({ routeTables: [table('rtb-0blue', 'blue'), table('rtb-0red', 'red')] });
  const { ec2 } = as('SyncRoutesFunction', tagged);
  await assert.rejects(ec2.send(createRoute('rtb-0blue')), { name: allowed });
  await assert.rejects(ec2.send(createRoute('rtb-0red')), unauthorized);
});

test('the keeper alone writes leases and switches source/destination checks', async () => {
  const Item = { pk: { S: 'network#default' }, sk: { S: 'lease#10.244.1.0/24' } };
  await as('KeepLeasesFunction').dynamodb.send(new PutItemCommand({ ...leases, Item }));
  const off = new ModifyNetworkInterfaceAttributeCommand({
    NetworkInterfaceId: 'eni-0aaaa',
    SourceDestCheck: { Value: false },
  });
  await assert.rejects(as('KeepLeasesFunction').ec2.send(off), { name: allowed });
  for (const id of ['SyncRoutesFunction', 'ResyncFunction', 'PublishLeaseChangesFunction']) {
    await assert.rejects(as(id).dynamodb.send(new PutItemCommand({ ...leases, Item })), denied);
    await assert.rejects(as(id).ec2.send(off), unauthorized);
  }
});

test("functions publish events of Leaseway's source alone", async () => {
  const put = (Source: string) =>
    new PutEventsCommand({ Entries: [{ Source, DetailType: 'Lease Change', Detail: '{}' }] });
  await as('PublishLeaseChangesFunction').events.send(put('leaseway'));
  await assert.rejects(as('PublishLeaseChangesFunction').events.send(put('other')), denied);
});
