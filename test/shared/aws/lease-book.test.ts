import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type DynamoDBDocumentClient, NumberValue, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../../shared/aws/clients.ts';
import { dynamoLeaseBook } from '../../../shared/aws/lease-book.ts';
import { leaseItem } from '../../../shared/domain/lease-item.ts';
import { Refusal } from '../../../shared/reconcile/ports.ts';
import { holderRecord, leaseRecord } from '../../contract/lease-samples.ts';
import { startTables } from './dynamodb-subject.ts';
import { type Answer, json, jsonError, scriptedEndpoint } from './scripted-endpoint.ts';

const pk = 'network#default';
const grant = {
  leases: [{ item: leaseRecord(1), expected: null }],
  holders: [{ item: holderRecord(1), expected: null }],
};

async function subject(t: TestContext) {
  const table = { ...(await startTables(t)), tableName: 'leases' };
  const put = (sk: string, item: object) =>
    table.client.send(new PutCommand({ TableName: 'leases', Item: { ...item, pk, sk } }));
  return { ...table, put, book: dynamoLeaseBook(table), keeper: dynamoLeaseBook({ ...table, mends: true }) };
}

/** Runs something before each query goes out. */
function beforeQueries(client: DynamoDBDocumentClient, run: (query: number) => Promise<unknown>): void {
  let queries = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const output = await next(args);
      if (context['commandName'] === 'QueryCommand') {
        queries += 1;
        await run(queries);
      }
      return output;
    },
    { step: 'initialize', name: 'beforeQueries' },
  );
}

test('G10: an expiry in another unit or type is not read as never', async (t) => {
  const { book, put } = await subject(t);
  await put('lease#10.244.1.0/24', { ...leaseItem(leaseRecord(1)), expiresAt: '2030-01-01T00:00:00Z' });
  await put('lease#10.244.2.0/24', { ...leaseItem(leaseRecord(2)), expiresAt: 1.9e12 });
  await put('lease#10.244.3.0/24', leaseItem(leaseRecord(3)));
  const { leases, unreadable } = await book.readAll();
  assert.deepEqual(leases, [leaseRecord(3)]);
  assert.deepEqual(
    unreadable.map(({ sortKey, problem }) => [sortKey, problem.includes('lease.expiresAt')]),
    [
      ['lease#10.244.1.0/24', true],
      ['lease#10.244.2.0/24', true],
    ],
  );
  await assert.rejects(book.readLease(leaseRecord(1).subnet), { name: 'InvalidInput', field: 'lease.expiresAt' });
});

test('an item under the key of another is no lease', async (t) => {
  const { book, put } = await subject(t);
  await put('lease#10.244.9.0/24', leaseItem(leaseRecord(1)));
  await put('something', { n: 1 });
  const { leases, unreadable } = await book.readAll();
  assert.deepEqual(leases, []);
  assert.deepEqual(
    unreadable.map(({ sortKey }) => sortKey),
    ['lease#10.244.9.0/24', 'something'],
  );
});

test('a configuration or counter that cannot be read is not an absent one', async (t) => {
  const { book, put } = await subject(t);
  await put('counter', { n: 'many' });
  await assert.rejects(book.readAll(), { name: 'InvalidInput', field: 'counter.n' });
  await put('counter', { n: 1 });
  await put('config', { config: 7, revision: 'first', appliedAt: 1 });
  assert.deepEqual((await book.readAll()).config, { text: '', revision: 0, appliedAt: 1 });
  const item = { text: '{}', revision: 1, appliedAt: 2 };
  assert.equal(await book.commit({ config: { item, expected: null }, counter: 1 }), 'conflict');
  assert.equal(await book.commit({ config: { item, expected: 0 }, counter: 1 }), 'done');
  assert.deepEqual((await book.readAll()).config, item);
  assert.equal(await book.commit({ config: { item, expected: 0 }, counter: 1 }), 'conflict');
});

for (const item of [{ n: 'many' }, {}, { n: [1] }, { n: true }, { n: 1.5 }, { n: NumberValue.from('1e38') }]) {
  const text = JSON.stringify(item);
  test(`a counter that counts nothing stops the sync by its name, until the keeper reads: ${text}`, async (t) => {
    const { book, keeper, put } = await subject(t);
    await keeper.commit(grant);
    await put('counter', item);
    await assert.rejects(book.readAll(), { name: 'InvalidInput', field: 'counter.n' });
    await assert.rejects(book.readCounter(), { name: 'InvalidInput', field: 'counter.n' });
    const { leases, counter } = await keeper.readAll();
    assert.deepEqual([leases.length, counter], [1, 0]);
    assert.deepEqual(await book.readAll(), await keeper.readAll());
  });
}

test('a grant mends a counter that counts nothing, and counts', async (t) => {
  const { book, keeper, put } = await subject(t);
  await put('counter', { n: 'many' });
  await assert.rejects(book.commit(grant), Refusal);
  assert.equal(await keeper.commit(grant), 'done');
  assert.equal((await book.readAll()).counter, 1);
});

test('keepers that mend at once lose no count', async (t) => {
  const { keeper, put } = await subject(t);
  await put('counter', { n: 'many' });
  const grants = [1, 2, 3, 4].map((number) => ({ leases: [{ item: leaseRecord(number), expected: null }] }));
  const outcomes = await Promise.all(grants.map((each) => keeper.commit(each)));
  assert.deepEqual(new Set(outcomes), new Set(['done']));
  assert.equal((await keeper.readAll()).counter, 4);
});

test('the keeper leaves a counter that counts as it is, whatever else DynamoDB refuses', async (t) => {
  const { keeper, put } = await subject(t);
  await put('counter', { n: 7 });
  const twice = { leases: [1, 1].map((number) => ({ item: leaseRecord(number), expected: null })) };
  await assert.rejects(keeper.commit(twice), Refusal);
  assert.equal((await keeper.readAll()).counter, 7);
});

test('reads to the last page', async (t) => {
  const { book, put } = await subject(t);
  // A page of DynamoDB is 1 MB: 250 KB of an attribute that we do not know make several.
  for (let number = 1; number <= 6; number += 1) {
    await put(`lease#10.244.${number}.0/24`, { ...leaseItem(leaseRecord(number)), other: 'x'.repeat(250_000) });
  }
  assert.equal((await book.readAll()).leases.length, 6);
});

test('reads again when leases move meanwhile', async (t) => {
  const { book, client, network } = await subject(t);
  const keeper = dynamoLeaseBook({ client, network, tableName: 'leases' });
  beforeQueries(client, async (query) => {
    if (query <= 2) await keeper.commit({ leases: [{ item: leaseRecord(query), expected: null }] });
  });
  const { leases, counter } = await book.readAll();
  assert.deepEqual([leases.length, counter], [2, 2]);
});

test('gives up on leases that never stand still', async (t) => {
  const { book, client } = await subject(t);
  beforeQueries(client, () =>
    client.send(
      new UpdateCommand({
        TableName: 'leases',
        Key: { pk, sk: 'counter' },
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': 1 },
      }),
    ),
  );
  await assert.rejects(book.readAll(), (error) => error instanceof Refusal && error.meaning === 'transient');
});

async function scripted(t: TestContext, answer: (index: number) => Answer) {
  const { calls, options } = await scriptedEndpoint(t, (_, index) => answer(index));
  const client = documentClient(options);
  t.after(() => client.destroy());
  return { calls, book: dynamoLeaseBook({ client, network: 'default', tableName: 'leases' }) };
}

function cancelled(...codes: string[]): Answer {
  return jsonError('TransactionCanceledException', 400, { CancellationReasons: codes.map((Code) => ({ Code })) });
}

test('a transaction that met another is tried again, as the same transaction', async (t) => {
  const { calls, book } = await scripted(t, (index) =>
    index < 3 ? cancelled('TransactionConflict', 'None', 'None') : json({}),
  );
  assert.equal(await book.commit(grant), 'done');
  const tokens = new Set(calls.map(({ body }) => body['ClientRequestToken']));
  assert.deepEqual([calls.length, tokens.size], [4, 1]);
});

test('a transaction that meets another each time is a conflict in the end', async (t) => {
  const { calls, book } = await scripted(t, () => cancelled('None', 'TransactionConflict', 'None'));
  assert.equal(await book.commit(grant), 'conflict');
  assert.ok(calls.length > 3 && calls.length < 20);
});

test('a failed condition is a conflict at once', async (t) => {
  const { calls, book } = await scripted(t, () => cancelled('ConditionalCheckFailed', 'TransactionConflict', 'None'));
  assert.equal(await book.commit(grant), 'conflict');
  assert.equal(calls.length, 1);
});

test('a transaction whose outcome is not known is neither done nor a conflict', async (t) => {
  const { calls, book } = await scripted(t, () => 'reset');
  await assert.rejects(book.commit(grant), (error) => error instanceof Refusal && error.meaning === 'transient');
  // The SDK repeated it, with the token that makes the repetitions one.
  const tokens = new Set(calls.map(({ body }) => body['ClientRequestToken']));
  assert.ok(calls.length > 1);
  assert.equal(tokens.size, 1);
});

test('a transaction that DynamoDB will never take is an error', async (t) => {
  const { book } = await scripted(t, () => cancelled('ValidationError', 'None', 'None'));
  await assert.rejects(book.commit(grant), Refusal);
});

test('a failed page is no shorter book', async (t) => {
  const { book } = await scripted(t, (index) =>
    index === 0
      ? json({ Items: [], LastEvaluatedKey: { pk: { S: pk }, sk: { S: 'x' } } })
      : jsonError('AccessDeniedException'),
  );
  await assert.rejects(book.readAll(), (error) => error instanceof Refusal && error.meaning === 'denied');
});

test('an answer without items is no empty book', async (t) => {
  const { book } = await scripted(t, () => json({}));
  await assert.rejects(book.readAll(), (error) => error instanceof Refusal && error.meaning === 'transient');
});
