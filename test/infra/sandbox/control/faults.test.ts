import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { GetItemCommand, PutItemCommand, ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateRouteTableCommand,
  CreateVpcCommand,
  DescribeRouteTablesCommand,
  DescribeVpcsCommand,
} from '@aws-sdk/client-ec2';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox();
const { dynamodb, ec2, lambda } = clients(sandbox);
const TableName = 'fixture-ClaimsTable';
const item = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } });
const put = (pk: string) => dynamodb.send(new PutItemCommand({ TableName, Item: item(pk) }));
const get = (pk: string) => dynamodb.send(new GetItemCommand({ TableName, Key: item(pk) }));
const plant = (fault: unknown) => control(sandbox, 'POST', 'faults', fault);

afterEach(() => control(sandbox, 'DELETE', 'faults'));

test('an error befalls one call unless told otherwise, with its status and message', async () => {
  await plant({ service: 'ec2', action: 'DescribeVpcs', error: 'RequestLimitExceeded', message: 'slow down' });
  await assert.rejects(
    ec2.send(new DescribeVpcsCommand({})),
    (error: { name: string; message: string; $metadata: { httpStatusCode: number } }) => {
      assert.deepEqual(
        [error.name, error.message, error.$metadata.httpStatusCode],
        ['RequestLimitExceeded', 'slow down', 503],
      );
      return true;
    },
  );
  await ec2.send(new DescribeVpcsCommand({}));
});

test('an error befalls as many calls as it says, after as many as it lets pass', async () => {
  await plant({ service: 'dynamodb', action: 'GetItem', error: 'InternalServerError', times: 2, skip: 1 });
  await get('a');
  await assert.rejects(get('a'), { name: 'InternalServerError' });
  await assert.rejects(get('a'), { name: 'InternalServerError' });
  await get('a');
});

test('"always" lasts until the faults are cleared', async () => {
  for (const times of ['always', 0]) {
    await plant({ service: 'dynamodb', error: 'ThrottlingException', times });
    for (let call = 0; call < 5; call++) await assert.rejects(get('a'), { name: 'ThrottlingException' });
    await control(sandbox, 'DELETE', 'faults');
    await get('a');
  }
});

test('a fault befalls only calls with the parameters it names, lists and nested ones too', async () => {
  await plant({ service: 'dynamodb', match: { Key: { pk: { S: 'b' } } }, error: 'InternalServerError' });
  await get('a');
  await assert.rejects(get('b'), { name: 'InternalServerError' });
  await plant({
    service: 'dynamodb',
    match: { TransactItems: { Put: { Item: { pk: { S: 'd' } } } } },
    error: 'InternalServerError',
  });
  const transact = (...keys: string[]) =>
    dynamodb.send(
      new TransactWriteItemsCommand({ TransactItems: keys.map((pk) => ({ Put: { TableName, Item: item(pk) } })) }),
    );
  await transact('a', 'b');
  await assert.rejects(transact('c', 'd'), { name: 'InternalServerError' });
  await plant({ service: 'ec2', match: { RouteTableId: 'rtb-0aaaaaaaaaaaaaaa1' }, error: 'InternalError' });
  await assert.rejects(
    ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: ['rtb-0aaaaaaaaaaaaaaa2', 'rtb-0aaaaaaaaaaaaaaa1'] })),
    { name: 'InternalError' },
  );
});

test('"after" carries the call out and then answers with the error', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', error: 'InternalServerError', after: true });
  await assert.rejects(put('written'), { name: 'InternalServerError' });
  assert.ok((await get('written')).Item);
  assert.deepEqual(sandbox.calls.calls.findLast(({ action }) => action === 'PutItem')?.outcome, {
    status: 500,
    error: 'InternalServerError',
    carriedOut: true,
  });
});

test('"after" with nothing else loses the answer', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', after: true });
  await assert.rejects(put('lost'), { code: 'ECONNRESET' });
  assert.ok((await get('lost')).Item);
});

test('an error without "after" carries nothing out', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', error: 'InternalServerError' });
  await assert.rejects(put('never'), { name: 'InternalServerError' });
  assert.equal((await get('never')).Item, undefined);
});

test('a call that hangs is answered never, and the client gives up', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', hang: true });
  const abort = new AbortController();
  const hanging = dynamodb.send(new PutItemCommand({ TableName, Item: item('hung') }), { abortSignal: abort.signal });
  while (sandbox.calls.calls.at(-1)?.outcome?.error !== 'NoAnswer')
    await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await assert.rejects(hanging, { name: 'AbortError' });
  assert.equal((await get('hung')).Item, undefined);
});

test('a delay only delays', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', delayMs: 300 });
  const answered: string[] = [];
  const delayed = put('late').then(() => answered.push('delayed'));
  while (sandbox.calls.calls.at(-1)?.action !== 'PutItem') await new Promise((resolve) => setImmediate(resolve));
  await get('a').then(() => answered.push('sent later'));
  await delayed;
  assert.deepEqual(answered, ['sent later', 'delayed']);
  assert.ok((await get('late')).Item);
});

test('a page fault befalls that page only', async () => {
  for (const pk of ['p1', 'p2', 'p3']) await put(pk);
  await plant({ service: 'dynamodb', action: 'Scan', page: 2, error: 'InternalServerError' });
  const page = (ExclusiveStartKey?: Awaited<ReturnType<typeof get>>['Item']) =>
    dynamodb.send(new ScanCommand({ TableName, Limit: 1, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));
  const first = await page();
  await assert.rejects(page(first.LastEvaluatedKey), { name: 'InternalServerError' });
  const second = await page(first.LastEvaluatedKey);
  await plant({ service: 'dynamodb', action: 'Scan', page: 3, error: 'InternalServerError' });
  await page(first.LastEvaluatedKey);
  await assert.rejects(page(second.LastEvaluatedKey), { name: 'InternalServerError' });
});

test('a page fault finds the pages of EC2 by their tokens', async () => {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  for (let table = 0; table < 6; table++) await ec2.send(new CreateRouteTableCommand({ VpcId: Vpc?.VpcId }));
  await plant({ service: 'ec2', action: 'DescribeRouteTables', page: 2, error: 'InternalError' });
  const { NextToken } = await ec2.send(new DescribeRouteTablesCommand({ MaxResults: 5 }));
  await assert.rejects(ec2.send(new DescribeRouteTablesCommand({ MaxResults: 5, NextToken })), {
    name: 'InternalError',
  });
});

test('a body is answered word for word, with status 200 unless given', async () => {
  const body = '<DescribeRouteTablesResponse><requestId>r</requestId><routeTableSet/></DescribeRouteTablesResponse>';
  await plant({ service: 'ec2', action: 'DescribeRouteTables', body });
  assert.deepEqual((await ec2.send(new DescribeRouteTablesCommand({}))).RouteTables ?? [], []);
  await plant({ service: 'dynamodb', action: 'GetItem', body: 'gateway trouble', status: 502 });
  await assert.rejects(
    get('a'),
    (error: { $metadata: { httpStatusCode: number } }) => error.$metadata.httpStatusCode === 502,
  );
});

test('"lag" makes the next reads of a resource late', async () => {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.1.0.0/16' }));
  const { RouteTable } = await ec2.send(new CreateRouteTableCommand({ VpcId: Vpc?.VpcId }));
  const RouteTableId = RouteTable?.RouteTableId ?? '';
  await plant({ service: 'ec2', match: { RouteTableId }, lag: 1 });
  assert.deepEqual([await tablesSeen(RouteTableId), await tablesSeen(RouteTableId)], [0, 1]);
});

test('late reads are listed with the reads that are left, and cleared, as other faults are', async () => {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.1.0.0/16' }));
  const { RouteTable } = await ec2.send(new CreateRouteTableCommand({ VpcId: Vpc?.VpcId }));
  const RouteTableId = RouteTable?.RouteTableId ?? '';
  const late = { service: 'ec2', action: 'DescribeRouteTables', match: { RouteTableId } };
  await plant({ service: 'ec2', match: { RouteTableId }, lag: 3, backwards: true });
  assert.deepEqual(await control(sandbox, 'GET', 'faults'), [{ ...late, lag: 3, backwards: true }]);
  assert.deepEqual([await tablesSeen(RouteTableId), await tablesSeen(RouteTableId)], [1, 0]);
  assert.deepEqual(await control(sandbox, 'GET', 'faults'), [{ ...late, lag: 2, backwards: false }]);
  await control(sandbox, 'DELETE', 'faults');
  assert.deepEqual(await control(sandbox, 'GET', 'faults'), []);
  assert.equal(await tablesSeen(RouteTableId), 1);
});

async function tablesSeen(RouteTableId: string): Promise<number> {
  const { RouteTables = [] } = await ec2.send(
    new DescribeRouteTablesCommand({ Filters: [{ Name: 'route-table-id', Values: [RouteTableId] }] }),
  );
  return RouteTables.length;
}

/** Lets the worker put an item, in its own process. */
async function putByWorker(pk: string) {
  const order = {
    order: 'call',
    headers: { 'x-amz-target': 'DynamoDB_20120810.PutItem', 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify({ TableName: 'fixture-LeasesTable', Item: item(pk) }),
  };
  return lambda.send(new InvokeCommand({ FunctionName: 'fixture-worker', Payload: JSON.stringify(order) }));
}
const leaseOf = async (pk: string) =>
  (await dynamodb.send(new GetItemCommand({ TableName: 'fixture-LeasesTable', Key: item(pk) }))).Item;

test('"kill" ends the calling process before its call', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', kill: true });
  const { FunctionError, Payload } = await putByWorker('before');
  assert.equal(FunctionError, 'Unhandled');
  assert.match(Buffer.from(Payload ?? []).toString(), /Runtime exited with error: signal: SIGKILL/);
  assert.equal(await leaseOf('before'), undefined);
  assert.equal((await putByWorker('next')).FunctionError, undefined);
});

test('"kill" with "after" ends it when the call is done', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', kill: true, after: true });
  assert.equal((await putByWorker('after')).FunctionError, 'Unhandled');
  assert.ok(await leaseOf('after'));
});

test('a fault can be for the calls of one function alone', async () => {
  await plant({ service: 'dynamodb', action: 'PutItem', caller: 'Worker', error: 'InternalServerError' });
  await put('mine');
  const { Payload } = await putByWorker('its');
  assert.match(Buffer.from(Payload ?? []).toString(), /InternalServerError/);
});

test('what was planted and is left can be read', async () => {
  await plant([
    { service: 'ec2', error: 'X', times: 2 },
    { service: 'sqs', hang: true, times: 'always' },
  ]);
  const left = (await control(sandbox, 'GET', 'faults')) as { service: string; times: unknown }[];
  assert.deepEqual(
    left.map(({ service, times }) => [service, times]),
    [
      ['ec2', 2],
      ['sqs', 'always'],
    ],
  );
});

for (const [fault, message] of [
  [{ service: 's3' }, /service/],
  [{ error: 'X' }, /service/],
  [{ service: 'ec2', eror: 'X' }, /eror: is not a member of a fault; the members are service, action, match/],
  [{ service: 'ec2', action: 'CreateRoutes', error: 'X' }, /action: ec2 has no CreateRoutes here, only .*CreateRoute,/],
  [{ service: 'sqs', action: 'Receive', hang: true }, /action: sqs has no Receive here, only .*ReceiveMessage/],
  [{ service: 'ec2', action: 'CreateRoute' }, /a fault does something: one of error, body/],
  [{ service: 'ec2', status: 503, message: 'no' }, /a fault does something/],
  [7, /a fault is an object \(got 7\)/],
  [{ service: 'ec2', times: -1 }, /times/],
  [{ service: 'ec2', lag: 1 }, /lag/],
] as const) {
  test(`a fault that is wrong is refused and its member named: ${JSON.stringify(fault)}`, async () => {
    await assert.rejects(plant(fault), message);
    assert.deepEqual(await control(sandbox, 'GET', 'faults'), []);
  });
}
