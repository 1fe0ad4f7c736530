import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { leases, recordsOf, startDynamoDb } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const lease = { pk: 'network#default', sk: 'lease#10.244.7.0/24' };
const holder = { pk: 'network#default', sk: 'holder#i-1' };
const absent = 'attribute_not_exists(pk)';

type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

function write(documents: DynamoDBDocumentClient, TransactItems: TransactItems, ClientRequestToken?: string) {
  const token = ClientRequestToken === undefined ? {} : { ClientRequestToken };
  return documents.send(new TransactWriteCommand({ TransactItems, ...token }));
}

async function cancellation(attempt: Promise<unknown>): Promise<TransactionCanceledException> {
  const error = await attempt.then(
    () => assert.fail('the transaction went through'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TransactionCanceledException, String(error));
  return error;
}

async function both(documents: DynamoDBDocumentClient) {
  const TransactItems = [{ Get: { TableName, Key: lease } }, { Get: { TableName, Key: holder } }];
  const { Responses } = await documents.send(new TransactGetCommand({ TransactItems }));
  return Responses?.map(({ Item }) => Item);
}

test('a transaction puts, updates, deletes and checks in one step', async (t) => {
  const { documents } = await startDynamoDb(t, [leases, { ...leases, TableName: 'claims' }]);
  for (const sk of ['updated', 'deleted', 'checked']) {
    await documents.send(new PutCommand({ TableName, Item: { pk: 'p', sk, version: 1 } }));
  }
  const isFirst = { ConditionExpression: 'version = :one', ExpressionAttributeValues: { ':one': 1 } };
  await write(documents, [
    { Put: { TableName: 'claims', Item: { pk: 'p', sk: 'put' }, ConditionExpression: absent } },
    { Update: { TableName, Key: { pk: 'p', sk: 'updated' }, UpdateExpression: 'ADD version :one', ...isFirst } },
    { Delete: { TableName, Key: { pk: 'p', sk: 'deleted' }, ...isFirst } },
    { ConditionCheck: { TableName, Key: { pk: 'p', sk: 'checked' }, ...isFirst } },
  ]);
  const item = async (table: string, sk: string) =>
    (await documents.send(new GetCommand({ TableName: table, Key: { pk: 'p', sk } }))).Item;
  assert.deepEqual(await item('claims', 'put'), { pk: 'p', sk: 'put' });
  assert.deepEqual(await item(TableName, 'updated'), { pk: 'p', sk: 'updated', version: 2 });
  assert.equal(await item(TableName, 'deleted'), undefined);
  assert.deepEqual(await item(TableName, 'checked'), { pk: 'p', sk: 'checked', version: 1 });
});

test('a failed transaction says why at the index of the action, leaves nothing and makes no record', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents } = sandbox;
  await documents.send(new PutCommand({ TableName, Item: { ...holder, instance: 'i-1' } }));
  const before = recordsOf(sandbox);
  const error = await cancellation(
    write(documents, [
      { Put: { TableName, Item: { ...lease, instance: 'i-2' }, ConditionExpression: absent } },
      {
        Put: {
          TableName,
          Item: { ...holder, instance: 'i-2' },
          ConditionExpression: absent,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]),
  );
  assert.match(error.message, /\[None, ConditionalCheckFailed\]$/);
  assert.deepEqual(error.CancellationReasons, [
    { Code: 'None' },
    {
      Code: 'ConditionalCheckFailed',
      Message: 'The conditional request failed',
      Item: { pk: { S: holder.pk }, sk: { S: holder.sk }, instance: { S: 'i-1' } },
    },
  ]);
  assert.deepEqual(await both(documents), [undefined, { ...holder, instance: 'i-1' }]);
  assert.deepEqual(recordsOf(sandbox), before);
});

test('a reason carries no item unless ALL_OLD is asked for', async (t) => {
  const { documents } = await startDynamoDb(t);
  await documents.send(new PutCommand({ TableName, Item: lease }));
  const check = { ConditionCheck: { TableName, Key: lease, ConditionExpression: absent } };
  const error = await cancellation(write(documents, [check]));
  assert.deepEqual(error.CancellationReasons, [
    { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
  ]);
});

test('what only shows while writing takes back the writes before it, without a record', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents } = sandbox;
  await documents.send(new PutCommand({ TableName, Item: { ...holder, instance: 'i-1' } }));
  await documents.send(new PutCommand({ TableName, Item: { pk: 'p', sk: 'text', value: 'no number' } }));
  const before = recordsOf(sandbox);
  const error = await cancellation(
    write(documents, [
      { Put: { TableName, Item: lease } },
      { Delete: { TableName, Key: holder } },
      {
        Update: {
          TableName,
          Key: { pk: 'p', sk: 'text' },
          UpdateExpression: 'SET #v = #v + :one',
          ExpressionAttributeNames: { '#v': 'value' },
          ExpressionAttributeValues: { ':one': 1 },
        },
      },
    ]),
  );
  assert.deepEqual(
    error.CancellationReasons?.map(({ Code }) => Code),
    ['None', 'None', 'ValidationError'],
  );
  assert.deepEqual(await both(documents), [undefined, { ...holder, instance: 'i-1' }]);
  assert.deepEqual(recordsOf(sandbox), before);
});

test('a key that does not fit the table cancels with ValidationError at its index', async (t) => {
  const { documents } = await startDynamoDb(t);
  const error = await cancellation(
    write(documents, [{ Put: { TableName, Item: lease } }, { Delete: { TableName, Key: { pk: 'only half' } } }]),
  );
  assert.deepEqual(error.CancellationReasons, [
    { Code: 'None' },
    { Code: 'ValidationError', Message: 'The provided key element does not match the schema' },
  ]);
  assert.deepEqual(await both(documents), [undefined, undefined]);
});

test('of 50 concurrent transactions over two items exactly one wins, and both items are its own', async (t) => {
  const { documents } = await startDynamoDb(t);
  const attempts = Array.from({ length: 50 }, (_, by) =>
    write(documents, [
      { Put: { TableName, Item: { ...lease, by }, ConditionExpression: absent } },
      { Put: { TableName, Item: { ...holder, by }, ConditionExpression: absent } },
    ]),
  );
  const results = await Promise.allSettled(attempts);
  const winners = results.flatMap(({ status }, by) => (status === 'fulfilled' ? [by] : []));
  assert.equal(winners.length, 1);
  const [by] = winners;
  assert.deepEqual(await both(documents), [
    { ...lease, by },
    { ...holder, by },
  ]);
});

test('no read sees the middle of a transaction', async (t) => {
  const { documents } = await startDynamoDb(t);
  const half = await startHalfReader(documents);
  for (let version = 1; version <= 30; version += 1) {
    await write(documents, [
      { Put: { TableName, Item: { ...lease, version } } },
      { Put: { TableName, Item: { ...holder, version } } },
    ]);
  }
  const seen = await half.stop();
  assert.ok(seen.length > 0);
  for (const versions of seen) assert.equal(versions[0], versions[1]);
});

async function startHalfReader(documents: DynamoDBDocumentClient) {
  const seen: unknown[][] = [];
  let reading = true;
  const readers = Array.from({ length: 4 }, async () => {
    while (reading) seen.push((await both(documents))?.map((item) => item?.['version']) ?? []);
  });
  return {
    stop: async () => {
      reading = false;
      await Promise.all(readers);
      return seen;
    },
  };
}

test('a token makes the same transaction happen once', async (t) => {
  const { documents } = await startDynamoDb(t);
  const token = randomUUID();
  const add = { UpdateExpression: 'ADD version :one', ExpressionAttributeValues: { ':one': 1 } };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await write(documents, [{ Update: { TableName, Key: lease, ...add } }], token);
  }
  assert.deepEqual((await both(documents))?.[0], { ...lease, version: 1 });
});

test('a token with another transaction is refused', async (t) => {
  const { documents } = await startDynamoDb(t);
  const token = randomUUID();
  await write(documents, [{ Put: { TableName, Item: lease } }], token);
  await assert.rejects(write(documents, [{ Put: { TableName, Item: holder } }], token), {
    name: 'IdempotentParameterMismatchException',
  });
  assert.deepEqual(await both(documents), [lease, undefined]);
});

test('a token is forgotten after 10 minutes, and a cancelled transaction may be tried again under it', async (t) => {
  const { documents, clock } = await startDynamoDb(t);
  const token = randomUUID();
  const put: TransactItems = [{ Put: { TableName, Item: lease, ConditionExpression: absent } }];
  await documents.send(new PutCommand({ TableName, Item: lease }));
  await cancellation(write(documents, put, token));
  await write(documents, [{ Delete: { TableName, Key: lease } }]);
  await write(documents, put, token);
  clock.advance(9 * 60);
  await write(documents, put, token);
  clock.advance(61);
  await cancellation(write(documents, put, token));
});

test('two actions on one item are refused', async (t) => {
  const { documents } = await startDynamoDb(t);
  const actions = [
    { Put: { TableName, Item: lease } },
    { ConditionCheck: { TableName, Key: lease, ConditionExpression: absent } },
  ];
  await assert.rejects(write(documents, actions), {
    name: 'ValidationException',
    message: 'Transaction request cannot include multiple operations on one item',
  });
  assert.deepEqual(await both(documents), [undefined, undefined]);
});

test('100 actions are taken, 101 and none are refused', async (t) => {
  const { documents, dynamodb } = await startDynamoDb(t);
  const puts = (count: number): TransactItems =>
    Array.from({ length: count }, (_, index) => ({ Put: { TableName, Item: { pk: 'p', sk: `${index}` } } }));
  await assert.rejects(write(documents, puts(101)), { name: 'ValidationException' });
  await assert.rejects(write(documents, puts(0)), { name: 'ValidationException' });
  assert.deepEqual(await dynamodb.dumpTable(TableName), []);
  await write(documents, puts(100));
  assert.equal((await dynamodb.dumpTable(TableName)).length, 100);
});

test('items of more than 4 MB together are refused and leave nothing', async (t) => {
  const { documents, dynamodb } = await startDynamoDb(t);
  const filling = 'x'.repeat(390_000);
  const puts = Array.from({ length: 11 }, (_, index) => ({
    Put: { TableName, Item: { pk: 'p', sk: `${index}`, filling } },
  }));
  await assert.rejects(write(documents, puts), { name: 'ValidationException' });
  assert.deepEqual(await dynamodb.dumpTable(TableName), []);
});

test('an action that is none, is two or lacks its expression is refused', async (t) => {
  const { dynamodb, documents } = await startDynamoDb(t);
  const Key = { pk: { S: 'p' }, sk: { S: 's' } };
  const refused: object[] = [
    {},
    { Put: { TableName, Item: Key }, Delete: { TableName, Key } },
    { Get: { TableName, Key } },
    { ConditionCheck: { TableName, Key } },
    { Update: { TableName, Key } },
    { Put: { TableName, Item: Key, ConditionExpression: 'not (an expression' } },
    { Put: { TableName, Item: Key, ReturnValuesOnConditionCheckFailure: 'ALL_NEW' } },
  ];
  const caller = { accessKeyId: '', arn: '', account: '' };
  for (const action of refused) {
    const params = { TransactItems: [action] };
    const attempt = dynamodb.handle({ service: 'dynamodb', action: 'TransactWriteItems', params, caller });
    await assert.rejects(attempt, { code: 'ValidationException', status: 400 }, JSON.stringify(action));
  }
  await assert.rejects(write(documents, [{ Put: { TableName: 'nowhere', Item: lease } }]), {
    name: 'ResourceNotFoundException',
  });
});

test('TransactGetItems answers at the index of the action and takes projections', async (t) => {
  const { documents } = await startDynamoDb(t);
  await documents.send(new PutCommand({ TableName, Item: { ...holder, version: 3, note: 'long' } }));
  const names = { ProjectionExpression: '#v', ExpressionAttributeNames: { '#v': 'version' } };
  const TransactItems = [{ Get: { TableName, Key: lease } }, { Get: { TableName, Key: holder, ...names } }];
  const { Responses } = await documents.send(new TransactGetCommand({ TransactItems }));
  assert.deepEqual(Responses, [{}, { Item: { version: 3 } }]);
});
