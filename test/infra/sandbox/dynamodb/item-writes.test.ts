import assert from 'node:assert/strict';
import test from 'node:test';
import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { leases, startDynamoDb } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const Key = { pk: 'network#default', sk: 'lease#10.244.7.0/24' };

test('of 50 concurrent conditional puts on one item exactly one wins', async (t) => {
  const { documents } = await startDynamoDb(t);
  const puts = Array.from({ length: 50 }, (_, holder) =>
    documents.send(
      new PutCommand({ TableName, Item: { ...Key, holder }, ConditionExpression: 'attribute_not_exists(pk)' }),
    ),
  );
  const results = await Promise.allSettled(puts);
  const winners = results.flatMap(({ status }, holder) => (status === 'fulfilled' ? [holder] : []));
  assert.equal(winners.length, 1);
  for (const result of results) {
    if (result.status === 'rejected') assert.equal(result.reason.name, 'ConditionalCheckFailedException');
  }
  const { Item } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  assert.equal(Item?.['holder'], winners[0]);
});

test('50 concurrent additions to one item all count', async (t) => {
  const { documents } = await startDynamoDb(t);
  const add = { TableName, Key, UpdateExpression: 'ADD version :one', ExpressionAttributeValues: { ':one': 1 } };
  await Promise.all(Array.from({ length: 50 }, () => documents.send(new UpdateCommand(add))));
  const { Item } = await documents.send(new GetCommand({ TableName, Key }));
  assert.equal(Item?.['version'], 50);
});

const condition = { ConditionExpression: 'version = :v', ExpressionAttributeValues: { ':v': 7 } };
type Returned = { readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE' };
const writes: Readonly<Record<string, (documents: DynamoDBDocumentClient, returned: Returned) => Promise<unknown>>> = {
  put: (documents, returned) =>
    documents.send(new PutCommand({ TableName, Item: { ...Key, version: 8 }, ...condition, ...returned })),
  update: (documents, returned) => documents.send(new UpdateCommand({ TableName, Key, ...condition, ...returned })),
  delete: (documents, returned) => documents.send(new DeleteCommand({ TableName, Key, ...condition, ...returned })),
};

for (const [name, write] of Object.entries(writes)) {
  const failure = async (documents: DynamoDBDocumentClient, returned: Returned) => {
    const error = await write(documents, returned).then(
      () => assert.fail('the condition held'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ConditionalCheckFailedException, String(error));
    assert.equal(error.message, 'The conditional request failed');
    return error;
  };

  test(`a failed condition of a ${name} carries the item when ALL_OLD is asked for`, async (t) => {
    const { documents } = await startDynamoDb(t);
    await documents.send(new PutCommand({ TableName, Item: { ...Key, version: 3 } }));
    const { Item } = await failure(documents, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    // The document client leaves the items of errors in DynamoDB's JSON.
    assert.deepEqual(Item, { pk: { S: Key.pk }, sk: { S: Key.sk }, version: { N: '3' } });
  });

  test(`a failed condition of a ${name} carries no item when none is there or none is asked for`, async (t) => {
    const { documents } = await startDynamoDb(t);
    assert.equal((await failure(documents, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })).Item, undefined);
    await documents.send(new PutCommand({ TableName, Item: { ...Key, version: 3 } }));
    assert.equal((await failure(documents, { ReturnValuesOnConditionCheckFailure: 'NONE' })).Item, undefined);
    assert.equal((await failure(documents, {})).Item, undefined);
  });
}

test('a query pages by Limit to the end, in the order of the sort key', async (t) => {
  const { documents } = await startDynamoDb(t);
  const names = Array.from({ length: 23 }, (_, index) => `lease#${String(index).padStart(3, '0')}`);
  for (const sk of names.toReversed()) {
    await documents.send(new PutCommand({ TableName, Item: { pk: 'network#default', sk } }));
  }
  await documents.send(new PutCommand({ TableName, Item: { pk: 'network#other', sk: 'lease#000' } }));
  const seen: unknown[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  let pages = 0;
  do {
    const page = await documents.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :lease)',
        ExpressionAttributeValues: { ':pk': 'network#default', ':lease': 'lease#' },
        Limit: 5,
        ConsistentRead: true,
        ...(ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey }),
      }),
    );
    seen.push(...(page.Items ?? []).map((item) => item['sk']));
    ExclusiveStartKey = page.LastEvaluatedKey;
    pages += 1;
  } while (ExclusiveStartKey !== undefined);
  assert.deepEqual(seen, names);
  assert.equal(pages, 5);
});

test('a scan without Limit ends its page at 1 MB and goes on from LastEvaluatedKey', async (t) => {
  const { documents } = await startDynamoDb(t);
  const filling = 'x'.repeat(200_000);
  for (let index = 0; index < 8; index += 1) {
    await documents.send(new PutCommand({ TableName, Item: { pk: `p${index}`, sk: 's', filling } }));
  }
  const first = await documents.send(new ScanCommand({ TableName }));
  assert.ok(first.LastEvaluatedKey !== undefined);
  const second = await documents.send(new ScanCommand({ TableName, ExclusiveStartKey: first.LastEvaluatedKey }));
  assert.equal(second.LastEvaluatedKey, undefined);
  const keys = [...(first.Items ?? []), ...(second.Items ?? [])].map((item) => item['pk']);
  assert.deepEqual(keys.toSorted(), ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']);
});

test('a batch writes and reads over several tables', async (t) => {
  const { documents } = await startDynamoDb(t, [leases, { ...leases, TableName: 'claims' }]);
  await documents.send(new PutCommand({ TableName, Item: Key }));
  const put = { PutRequest: { Item: { pk: 'a', sk: 'b' } } };
  const remove = { DeleteRequest: { Key } };
  await documents.send(new BatchWriteCommand({ RequestItems: { leases: [put, remove], claims: [put] } }));
  const keys = { Keys: [{ pk: 'a', sk: 'b' }, Key] };
  const { Responses } = await documents.send(new BatchGetCommand({ RequestItems: { leases: keys, claims: keys } }));
  assert.deepEqual(Responses, { leases: [{ pk: 'a', sk: 'b' }], claims: [{ pk: 'a', sk: 'b' }] });
});

test('errors arrive with their code, without its namespace', async (t) => {
  const { documents, client, dynamodb } = await startDynamoDb(t);
  await assert.rejects(documents.send(new GetCommand({ TableName: 'nowhere', Key })), {
    name: 'ResourceNotFoundException',
    message: 'Requested resource not found',
  });
  await assert.rejects(documents.send(new GetCommand({ TableName, Key: { pk: 'only half' } })), {
    name: 'ValidationException',
    message: 'The provided key element does not match the schema',
  });
  await assert.rejects(client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'x' } } })), {
    name: 'ValidationException',
  });
  const caller = { accessKeyId: '', arn: '', account: '' };
  await assert.rejects(dynamodb.handle({ service: 'dynamodb', action: 'ExecuteStatement', params: {}, caller }), {
    code: 'UnknownOperationException',
    status: 400,
  });
});

test('a request is left as it came: parameters of the caller are not changed', async (t) => {
  const { dynamodb } = await startDynamoDb(t);
  const params = { TableName, Item: { pk: { S: 'a' }, sk: { S: 'b' } }, Unknown: 1 };
  const caller = { accessKeyId: '', arn: '', account: '' };
  await dynamodb.handle({ service: 'dynamodb', action: 'PutItem', params, caller });
  assert.deepEqual(params, { TableName, Item: { pk: { S: 'a' }, sk: { S: 'b' } }, Unknown: 1 });
});
