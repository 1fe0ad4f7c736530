import assert from 'node:assert/strict';
import test from 'node:test';
import {
  BatchWriteCommand,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { StreamRecord } from '../../../../infra/sandbox/dynamodb/stream-record.ts';
import { leases, recordsOf, startDynamoDb, text } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const Key = { pk: 'network#default', sk: 'lease#10.244.7.0/24' };
const keys = { pk: { S: Key.pk }, sk: { S: Key.sk } };

test('a record has the shape in which a Lambda event source mapping hands it over', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents, clock } = sandbox;
  clock.advance(86_400);
  const earliest = Math.floor(clock.now() / 1000);
  await documents.send(new PutCommand({ TableName, Item: { ...Key, version: 1 } }));
  const [record, ...others] = recordsOf(sandbox);
  assert.deepEqual(others, []);
  assert.ok(record !== undefined);
  const { eventID, dynamodb, ...rest } = record;
  const { SequenceNumber, ApproximateCreationDateTime, ...data } = dynamodb;
  assert.match(eventID, /^[0-9a-f]{32}$/);
  assert.match(SequenceNumber, /^\d{21,40}$/);
  assert.ok(Number.isInteger(ApproximateCreationDateTime));
  assert.ok(ApproximateCreationDateTime >= earliest && ApproximateCreationDateTime <= clock.now() / 1000);
  const stream = sandbox.dynamodb.streams.current(TableName);
  assert.deepEqual(rest, {
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'eu-central-1',
    eventSourceARN: stream?.arn,
  });
  assert.match(
    rest.eventSourceARN,
    /^arn:aws:dynamodb:eu-central-1:123456789012:table\/leases\/stream\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/,
  );
  assert.deepEqual(data, {
    Keys: keys,
    NewImage: { ...keys, version: { N: '1' } },
    SizeBytes: 2 * (4 + Key.pk.length + Key.sk.length) + 'version'.length + 2,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
});

test('an insertion, a change and a removal are told apart, with their images', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents } = sandbox;
  await documents.send(new PutCommand({ TableName, Item: { ...Key, version: 1 } }));
  const set = { UpdateExpression: 'SET version = :two', ExpressionAttributeValues: { ':two': 2 } };
  await documents.send(new UpdateCommand({ TableName, Key, ...set }));
  await documents.send(new DeleteCommand({ TableName, Key }));
  const seen = recordsOf(sandbox).map(({ eventName, dynamodb: { OldImage, NewImage } }) => [
    eventName,
    OldImage,
    NewImage,
  ]);
  const first = { ...keys, version: { N: '1' } };
  const second = { ...keys, version: { N: '2' } };
  assert.deepEqual(seen, [
    ['INSERT', undefined, first],
    ['MODIFY', first, second],
    ['REMOVE', second, undefined],
  ]);
});

test('a write that changes nothing makes no record', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents } = sandbox;
  const Item = { ...Key, version: 1, tables: new Set(['rtb-1', 'rtb-2']), nested: { list: [1, { a: true }] } };
  await documents.send(new PutCommand({ TableName, Item }));
  await documents.send(new PutCommand({ TableName, Item }));
  await documents.send(new PutCommand({ TableName, Item: { ...Item, tables: new Set(['rtb-2', 'rtb-1']) } }));
  const set = { UpdateExpression: 'SET version = :one', ExpressionAttributeValues: { ':one': 1 } };
  await documents.send(new UpdateCommand({ TableName, Key, ...set }));
  await documents.send(new DeleteCommand({ TableName, Key: { ...Key, pk: 'nobody' } }));
  await documents.send(new BatchWriteCommand({ RequestItems: { leases: [{ PutRequest: { Item } }] } }));
  await documents.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item } }] }));
  assert.deepEqual(
    recordsOf(sandbox).map((record) => record.eventName),
    ['INSERT'],
  );
});

test('batches and transactions make a record an item', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents } = sandbox;
  await documents.send(new PutCommand({ TableName, Item: Key }));
  const put = { PutRequest: { Item: { pk: 'a', sk: 'batch' } } };
  await documents.send(new BatchWriteCommand({ RequestItems: { leases: [put, { DeleteRequest: { Key } }] } }));
  const TransactItems = [
    { Put: { TableName, Item: { pk: 'a', sk: 'transaction' } } },
    { Delete: { TableName, Key: { pk: 'a', sk: 'batch' } } },
  ];
  await documents.send(new TransactWriteCommand({ TransactItems }));
  const seen = recordsOf(sandbox).map(({ eventName, dynamodb }) => `${eventName} ${text(dynamodb.Keys, 'sk')}`);
  assert.deepEqual(seen.toSorted(), [
    'INSERT batch',
    `INSERT ${Key.sk}`,
    'INSERT transaction',
    'REMOVE batch',
    `REMOVE ${Key.sk}`,
  ]);
});

test('order is kept for each item and lost across items', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents, dynamodb } = sandbox;
  const holders = Array.from({ length: 12 }, (_, index) => `i-${index}`);
  for (let version = 1; version <= 5; version += 1) {
    for (const pk of holders) await documents.send(new PutCommand({ TableName, Item: { pk, sk: 'claim', version } }));
  }
  const shards = dynamodb.streams.shards(TableName);
  assert.ok(shards.length >= 2);
  const byShard = shards.map((shard) => dynamodb.streams.read(TableName, shard, 0, 1000).records);
  for (const records of byShard) assert.ok(records.length > 0 && records.length < 60);
  for (const pk of holders) {
    const homes = byShard.map((records) => records.filter((record) => text(record.dynamodb.Keys, 'pk') === pk));
    const own = homes.filter((records) => records.length > 0);
    assert.equal(own.length, 1);
    assert.deepEqual(
      own[0]?.map((record) => record.dynamodb.NewImage?.['version']),
      ['1', '2', '3', '4', '5'].map((N) => ({ N })),
    );
  }
  const numbers = byShard.flat().map((record) => record.dynamodb.SequenceNumber);
  assert.notDeepEqual(numbers, numbers.toSorted());
});

test('the poller reads on from a position, and latest is behind the newest record', async (t) => {
  const { documents, dynamodb } = await startDynamoDb(t);
  const put = (version: number) => documents.send(new PutCommand({ TableName, Item: { ...Key, version } }));
  for (const version of [1, 2, 3]) await put(version);
  const { streams } = dynamodb;
  const shard = streams.shards(TableName).find((id) => streams.latest(TableName, id) > 0) ?? '';
  const first = streams.read(TableName, shard, 0, 2);
  const second = streams.read(TableName, shard, first.nextPosition, 2);
  assert.deepEqual([first.records.length, second.records.length], [2, 1]);
  assert.equal(second.nextPosition, streams.latest(TableName, shard));
  const third = streams.read(TableName, shard, second.nextPosition, 2);
  assert.deepEqual(third, { records: [], nextPosition: second.nextPosition });
  await put(4);
  const [record] = streams.read(TableName, shard, third.nextPosition, 2).records;
  assert.deepEqual(record?.dynamodb.NewImage?.['version'], { N: '4' });
});

test('a listener hears of each record until it ends its subscription', async (t) => {
  const { documents, dynamodb } = await startDynamoDb(t);
  const heard: [string, string, StreamRecord][] = [];
  const end = dynamodb.streams.onRecord((...record) => heard.push(record));
  await documents.send(new PutCommand({ TableName, Item: Key }));
  await documents.send(new PutCommand({ TableName, Item: Key }));
  end();
  await documents.send(new DeleteCommand({ TableName, Key }));
  assert.equal(heard.length, 1);
  const [table, shard, record] = heard[0] ?? [];
  assert.equal(table, TableName);
  assert.deepEqual(dynamodb.streams.read(TableName, shard ?? '', 0, 1).records, [record]);
});

test('records older than 24 hours are gone, and positions stay what they were', async (t) => {
  const { documents, dynamodb, clock } = await startDynamoDb(t);
  const put = (version: number) => documents.send(new PutCommand({ TableName, Item: { ...Key, version } }));
  await put(1);
  clock.advance(25 * 3600);
  await put(2);
  const { streams } = dynamodb;
  const shard = streams.shards(TableName).find((id) => streams.latest(TableName, id) > 0) ?? '';
  for (const position of [0, 1]) {
    const { records, nextPosition } = streams.read(TableName, shard, position, 10);
    assert.deepEqual(
      records.map((record) => record.dynamodb.NewImage?.['version']),
      [{ N: '2' }],
    );
    assert.equal(nextPosition, 2);
  }
});

for (const [viewType, images] of [
  ['KEYS_ONLY', []],
  ['NEW_IMAGE', ['NewImage']],
  ['OLD_IMAGE', ['OldImage']],
  ['NEW_AND_OLD_IMAGES', ['NewImage', 'OldImage']],
] as const) {
  test(`a stream with view type ${viewType} carries ${images.join(' and ') || 'the keys only'}`, async (t) => {
    const sandbox = await startDynamoDb(t, [{ ...leases, StreamSpecification: { StreamViewType: viewType } }]);
    for (const version of [1, 2]) {
      await sandbox.documents.send(new PutCommand({ TableName, Item: { ...Key, version } }));
    }
    const change = recordsOf(sandbox)[1]?.dynamodb ?? {};
    assert.deepEqual(
      Object.keys(change).filter((name) => name.endsWith('Image')),
      images,
    );
  });
}
