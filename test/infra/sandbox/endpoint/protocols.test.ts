import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeRouteTablesCommand } from '@aws-sdk/client-ec2';
import { ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { GetFunctionCommand } from '@aws-sdk/client-lambda';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { startSandbox } from '../../../../infra/sandbox/sandbox.ts';
import { clients, fixtureSandbox, fixtureTemplate } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox({ functions: false });
const admin = clients(sandbox);

const post = (headers: Record<string, string>, body: string) => fetch(sandbox.url, { method: 'POST', headers, body });

test('one port answers every service to its own client', async () => {
  const { TableNames } = await admin.dynamodb.send(new ListTablesCommand({}));
  assert.deepEqual(TableNames, ['fixture-ClaimsTable', 'fixture-LeasesTable']);
  assert.deepEqual((await admin.ec2.send(new DescribeRouteTablesCommand({}))).RouteTables, []);
  const { QueueUrls } = await admin.sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'fixture-orders' }));
  const base = `${sandbox.url}/123456789012`;
  assert.deepEqual(QueueUrls, [`${base}/fixture-orders-dead.fifo`, `${base}/fixture-orders.fifo`]);
  const { Rules = [] } = await admin.events.send(new ListRulesCommand({}));
  assert.deepEqual(
    Rules.map(({ Name }) => Name),
    ['fixture-LostRule', 'fixture-OrderRule', 'fixture-WorkerTick', 'fixture-WorkerWish'],
  );
});

test('the caller identity is the principal of the access key', async () => {
  const arnOf = async (accessKeyId: string) => {
    const { Arn, UserId, Account } = await clients(sandbox, accessKeyId).sts.send(new GetCallerIdentityCommand({}));
    return { Arn, UserId, Account };
  };
  const Account = '123456789012';
  assert.deepEqual(await arnOf('admin'), { Arn: `arn:aws:iam::${Account}:user/admin`, UserId: 'admin', Account });
  assert.deepEqual(await arnOf('NODEi-0abc'), {
    Arn: `arn:aws:sts::${Account}:assumed-role/leaseway-node/i-0abc`,
    UserId: 'AROASANDBOX:i-0abc',
    Account,
  });
  assert.deepEqual(await arnOf('LAMBDA.Worker.1'), {
    Arn: `arn:aws:sts::${Account}:assumed-role/fixture-worker-role/fixture-worker`,
    UserId: 'AROASANDBOX:fixture-worker',
    Account,
  });
});

test('an unknown action is an error of the service it was sent to', async () => {
  const json = await post(
    { 'x-amz-target': 'AmazonSQS.AddPermission', 'content-type': 'application/x-amz-json-1.0' },
    '{}',
  );
  assert.equal(json.status, 400);
  assert.match(await json.text(), /"__type":"com.amazonaws.sqs#UnknownOperationException".*AddPermission/);
  const ec2 = await post({}, 'Action=CreateDragon&Version=2016-11-15');
  assert.equal(ec2.status, 400);
  assert.match(await ec2.text(), /<Errors><Error><Code>InvalidAction<\/Code><Message>[^<]*CreateDragon/);
  const sts = await post({}, 'Action=AssumeRole&Version=2011-06-15');
  assert.match(await sts.text(), /<ErrorResponse .*<Code>InvalidAction<\/Code>/);
});

test('an unknown service is an error of the protocol that was spoken', async () => {
  const json = await post({ 'x-amz-target': 'Kinesis_20131202.PutRecord' }, '{}');
  assert.equal(json.status, 400);
  assert.match(await json.text(), /UnknownOperationException.*Kinesis_20131202\.PutRecord/);
  const query = await post({}, 'Action=DescribeStacks&Version=2010-05-15');
  assert.equal(query.status, 400);
  assert.match(await query.text(), /<Code>InvalidAction<\/Code><Message>[^<]*2010-05-15/);
  const rest = await fetch(`${sandbox.url}/2018-10-31/layers`);
  assert.equal(rest.status, 404);
  assert.equal(rest.headers.get('x-amzn-errortype'), 'UnknownOperationException');
});

test('a body that is no JSON object is a serialization error', async () => {
  const answer = await post({ 'x-amz-target': 'AWSEvents.PutEvents' }, '[1');
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /SerializationException/);
});

test('a function that does not exist is not found', async () => {
  await assert.rejects(admin.lambda.send(new GetFunctionCommand({ FunctionName: 'nobody' })), {
    name: 'ResourceNotFoundException',
  });
});

test('a port that is taken is refused and nothing is left behind', async () => {
  await assert.rejects(startSandbox({ templateFile: fixtureTemplate, port: sandbox.port }), { code: 'EADDRINUSE' });
});
