import assert from 'node:assert/strict';
import test from 'node:test';
import { CreateTableCommand, DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { leases, recordsOf, type SandboxDynamoDb, startDynamoDb } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const Key = { pk: 'network#default', sk: 'lease#10.244.7.0/24' };

test('the API of DynamoDB Streams lists, describes and reads a stream to its end', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents, streamsClient, client } = sandbox;
  for (let index = 0; index < 20; index += 1) {
    await documents.send(new PutCommand({ TableName, Item: { pk: `p${index}`, sk: 's' } }));
  }
  const { Streams } = await streamsClient.send(new ListStreamsCommand({ TableName }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.deepEqual(Streams, [{ StreamArn: Table?.LatestStreamArn, TableName, StreamLabel: Table?.LatestStreamLabel }]);
  const StreamArn = Table?.LatestStreamArn ?? '';
  const { StreamDescription } = await streamsClient.send(new DescribeStreamCommand({ StreamArn }));
  assert.equal(StreamDescription?.StreamStatus, 'ENABLED');
  assert.equal(StreamDescription?.StreamViewType, 'NEW_AND_OLD_IMAGES');
  assert.deepEqual(StreamDescription?.KeySchema, leases.KeySchema);
  const seen: string[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const records = await drain(sandbox, StreamArn, ShardId ?? '', 3);
    seen.push(...records.map((record) => record.dynamodb?.Keys?.['pk']?.S ?? ''));
  }
  assert.deepEqual(seen.toSorted(), Array.from({ length: 20 }, (_, index) => `p${index}`).toSorted());
});

async function drain(
  { streamsClient }: SandboxDynamoDb,
  StreamArn: string,
  ShardId: string,
  Limit: number,
): Promise<readonly _Record[]> {
  const records: _Record[] = [];
  let { ShardIterator } = await streamsClient.send(
    new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
  );
  for (;;) {
    const page = await streamsClient.send(new GetRecordsCommand({ ShardIterator, Limit }));
    assert.ok((page.Records?.length ?? 0) <= Limit);
    if (page.Records?.length === 0) return records;
    records.push(...(page.Records ?? []));
    ShardIterator = page.NextShardIterator;
  }
}

test('an iterator starts at, after or behind a sequence number and expires after 15 minutes', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents, streamsClient, dynamodb, clock } = sandbox;
  const put = (version: number) => documents.send(new PutCommand({ TableName, Item: { ...Key, version } }));
  for (const version of [1, 2, 3]) await put(version);
  const { streams } = dynamodb;
  const ShardId = streams.shards(TableName).find((id) => streams.latest(TableName, id) > 0) ?? '';
  const StreamArn = streams.current(TableName)?.arn ?? '';
  const SequenceNumber = recordsOf(sandbox)[1]?.dynamodb.SequenceNumber ?? '';
  const from = async (start: object) => {
    const input = { StreamArn, ShardId, ...start } as ConstructorParameters<typeof GetShardIteratorCommand>[0];
    const { ShardIterator } = await streamsClient.send(new GetShardIteratorCommand(input));
    return ShardIterator;
  };
  const versions = async (ShardIterator: string | undefined) => {
    const { Records } = await streamsClient.send(new GetRecordsCommand({ ShardIterator }));
    return Records?.map((record) => record.dynamodb?.NewImage?.['version']?.N);
  };
  assert.deepEqual(await versions(await from({ ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber })), ['2', '3']);
  const after = await from({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber });
  assert.deepEqual(await versions(after), ['3']);
  const latest = await from({ ShardIteratorType: 'LATEST' });
  assert.deepEqual(await versions(latest), []);
  await put(4);
  assert.deepEqual(await versions(latest), ['4']);
  clock.advance(15 * 60 + 1);
  await assert.rejects(versions(latest), { name: 'ExpiredIteratorException' });
});

test('a stream switched off stays readable to its end, and switched on again is a new one', async (t) => {
  const sandbox = await startDynamoDb(t);
  const { documents, client, dynamodb, streamsClient } = sandbox;
  await documents.send(new PutCommand({ TableName, Item: Key }));
  const old = dynamodb.streams.current(TableName);
  const off = { StreamSpecification: { StreamEnabled: false } };
  const on = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' as const } };
  await assert.rejects(client.send(new UpdateTableCommand({ TableName, ...on })), {
    name: 'ValidationException',
    message: 'Table already has an enabled stream: TableName: leases',
  });
  await client.send(new UpdateTableCommand({ TableName, ...off }));
  await documents.send(new DeleteCommand({ TableName, Key }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table?.LatestStreamArn, undefined);
  assert.throws(() => dynamodb.streams.shards(TableName), { code: 'ResourceNotFoundException' });
  const { StreamDescription } = await streamsClient.send(new DescribeStreamCommand({ StreamArn: old?.arn }));
  assert.equal(StreamDescription?.StreamStatus, 'DISABLED');
  let left = 0;
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const { ShardIterator } = await streamsClient.send(
      new GetShardIteratorCommand({ StreamArn: old?.arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    const page = await streamsClient.send(new GetRecordsCommand({ ShardIterator }));
    left += page.Records?.length ?? 0;
    assert.equal(page.NextShardIterator, undefined);
  }
  assert.equal(left, 1);
  await client.send(new UpdateTableCommand({ TableName, ...on }));
  assert.notEqual(dynamodb.streams.current(TableName)?.arn, old?.arn);
  assert.deepEqual(recordsOf(sandbox), []);
});

test('a table created through the API has the stream it asks for, a table without one has none', async (t) => {
  const sandbox = await startDynamoDb(t, []);
  const { client, documents, dynamodb } = sandbox;
  const { StreamSpecification: _, ...plain } = leases;
  const input = plain as unknown as ConstructorParameters<typeof CreateTableCommand>[0];
  const stream = { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' as const } };
  for (const table of [
    { ...input, TableName: 'plain' },
    { ...input, ...stream },
  ]) {
    const { TableDescription } = await client.send(
      new CreateTableCommand({ ...table, BillingMode: 'PAY_PER_REQUEST' }),
    );
    assert.equal(TableDescription?.TableStatus, 'CREATING');
    await documents.send(new PutCommand({ TableName: table.TableName, Item: Key }));
  }
  assert.equal(recordsOf(sandbox).length, 1);
  assert.throws(() => dynamodb.streams.shards('plain'), { code: 'ResourceNotFoundException' });
});
