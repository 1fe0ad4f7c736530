import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import {
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  DescribeRouteTablesCommand,
} from '@aws-sdk/client-ec2';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox();
const admin = clients(sandbox);
const worker = clients(sandbox, 'LAMBDA.Worker.1');
const nodeArn = (id: string) => `arn:aws:ec2:eu-central-1:123456789012:instance/${id}`;
const node = clients(sandbox, 'NODEi-0abc');

const leases = 'fixture-LeasesTable';
const claims = 'fixture-ClaimsTable';
const key = (pk: string, sk = 'claim') => ({ pk: { S: pk }, sk: { S: sk } });
const denied = { name: 'AccessDeniedException' };

test('a function may do what its policies allow, and a pattern of actions counts', async () => {
  await worker.dynamodb.send(new GetItemCommand({ TableName: leases, Key: key('a') }));
  await worker.dynamodb.send(new PutItemCommand({ TableName: leases, Item: key('a') }));
});

test('a function may do nothing that its policies do not allow', async () => {
  await assert.rejects(worker.dynamodb.send(new ScanCommand({ TableName: leases })), denied);
  await assert.rejects(worker.dynamodb.send(new GetItemCommand({ TableName: claims, Key: key('a') })), denied);
  await assert.rejects(
    worker.events.send(new PutEventsCommand({ Entries: [{ Source: 's', DetailType: 'd', Detail: '{}' }] })),
    denied,
  );
  const QueueUrl = `${sandbox.url}/123456789012/fixture-PlainQueue`;
  await assert.rejects(worker.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })), denied);
  await assert.rejects(worker.lambda.send(new InvokeCommand({ FunctionName: 'fixture-worker' })), denied);
});

test('a denial wins over an allowance', async () => {
  await assert.rejects(worker.dynamodb.send(new DeleteItemCommand({ TableName: leases, Key: key('a') })), denied);
});

test('a transaction needs permission for each of its items, and then does nothing at all', async () => {
  const TransactItems = [
    { Put: { TableName: leases, Item: key('transacted') } },
    { Delete: { TableName: leases, Key: key('a') } },
  ];
  await assert.rejects(worker.dynamodb.send(new TransactWriteItemsCommand({ TransactItems })), {
    ...denied,
    message: /dynamodb:DeleteItem/,
  });
  const { Item } = await admin.dynamodb.send(new GetItemCommand({ TableName: leases, Key: key('transacted') }));
  assert.equal(Item, undefined);
});

test("EC2 denies in its own words, and a resource's tag decides", async () => {
  const { Vpc } = await admin.ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const { RouteTable } = await admin.ec2.send(new CreateRouteTableCommand({ VpcId: Vpc?.VpcId }));
  const RouteTableId = RouteTable?.RouteTableId;
  await worker.ec2.send(new DescribeRouteTablesCommand({}));
  const create = () =>
    worker.ec2.send(
      new CreateRouteCommand({
        RouteTableId,
        DestinationCidrBlock: '10.9.0.0/24',
        NetworkInterfaceId: 'eni-0a1b2c3d4e5f60718',
      }),
    );
  await assert.rejects(create(), (error: { name: string; $metadata: { httpStatusCode: number } }) => {
    assert.equal(error.name, 'UnauthorizedOperation');
    assert.equal(error.$metadata.httpStatusCode, 403);
    return true;
  });
  await admin.ec2.send(
    new CreateTagsCommand({ Resources: [RouteTableId ?? ''], Tags: [{ Key: 'leaseway', Value: 'yes' }] }),
  );
  await assert.rejects(
    create(),
    { name: 'InvalidNetworkInterfaceID.NotFound' },
    'allowed now, and refused by EC2 itself',
  );
});

test('a node reaches the items of its own instance', async () => {
  await node.dynamodb.send(new PutItemCommand({ TableName: claims, Item: key(nodeArn('i-0abc')) }));
  const { Item } = await node.dynamodb.send(new GetItemCommand({ TableName: claims, Key: key(nodeArn('i-0abc')) }));
  assert.deepEqual(Item, key(nodeArn('i-0abc')));
  await node.dynamodb.send(new DeleteItemCommand({ TableName: claims, Key: key(nodeArn('i-0abc')) }));
});

test("a node reaches no other instance's items, by no kind of call", async () => {
  const other = key(nodeArn('i-0def'));
  await assert.rejects(node.dynamodb.send(new PutItemCommand({ TableName: claims, Item: other })), denied);
  await assert.rejects(node.dynamodb.send(new GetItemCommand({ TableName: claims, Key: other })), denied);
  await assert.rejects(node.dynamodb.send(new ScanCommand({ TableName: claims })), denied);
  await assert.rejects(
    node.dynamodb.send(
      new QueryCommand({
        TableName: claims,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: nodeArn('i-0abc') } },
      }),
    ),
    denied,
  );
  const TransactItems = [
    { Put: { TableName: claims, Item: key(nodeArn('i-0abc')) } },
    { Put: { TableName: claims, Item: other } },
  ];
  await assert.rejects(node.dynamodb.send(new TransactWriteItemsCommand({ TransactItems })), denied);
  await assert.rejects(node.dynamodb.send(new GetItemCommand({ TableName: leases, Key: other })), denied);
  await assert.rejects(node.ec2.send(new DescribeRouteTablesCommand({})), { name: 'UnauthorizedOperation' });
});

test('a caller that is no node and no function is an administrator', async () => {
  await admin.dynamodb.send(new ScanCommand({ TableName: claims }));
});

test("a function's own calls are judged by its policies and attributed to it", async () => {
  sandbox.calls.clear();
  const order = {
    order: 'call',
    headers: { 'x-amz-target': 'DynamoDB_20120810.Scan', 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify({ TableName: leases }),
  };
  const { Payload } = await admin.lambda.send(
    new InvokeCommand({ FunctionName: 'fixture-worker', Payload: JSON.stringify(order) }),
  );
  const answer = JSON.parse(Buffer.from(Payload ?? []).toString());
  assert.match(answer.body, /AccessDeniedException.*dynamodb:Scan/);
  const call = sandbox.calls.calls.find(({ action }) => action === 'Scan');
  assert.equal(call?.function, 'fixture-worker');
  assert.equal(call?.outcome?.error, 'AccessDeniedException');
});
