import assert from 'node:assert/strict';
import test from 'node:test';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { leases, startDynamoDb } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const Key = { pk: 'network#default', sk: 'config' };

test('a table is there as soon as its creation is answered, and gone as soon as its deletion is', async (t) => {
  const { client, documents } = await startDynamoDb(t, []);
  const { AttributeDefinitions, KeySchema } = leases;
  const create = new CreateTableCommand({
    TableName,
    AttributeDefinitions: AttributeDefinitions as never,
    KeySchema: KeySchema as never,
    BillingMode: 'PAY_PER_REQUEST',
  });
  for (let round = 0; round < 2; round += 1) {
    const { TableDescription } = await client.send(create);
    assert.equal(TableDescription?.TableArn, 'arn:aws:dynamodb:eu-central-1:123456789012:table/leases');
    assert.equal((await documents.send(new GetCommand({ TableName, Key }))).Item, undefined);
    await documents.send(new PutCommand({ TableName, Item: Key }));
    await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
    await assert.rejects(client.send(create), { name: 'ResourceInUseException' });
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client, maxWaitTime: 30 }, { TableName });
    assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
  }
});

test('the settings of a table are described as they were asked for', async (t) => {
  const { client, clock, dynamodb } = await startDynamoDb(t, []);
  clock.advance(3600);
  const createdAfter = clock.now();
  await dynamodb.seedTable({ ...leases, DeletionProtectionEnabled: true, SSESpecification: { SSEEnabled: true } });
  const describe = async () => (await client.send(new DescribeTableCommand({ TableName }))).Table;
  const table = await describe();
  assert.equal(table?.TableStatus, 'ACTIVE');
  assert.equal(table?.BillingModeSummary?.BillingMode, 'PAY_PER_REQUEST');
  assert.equal(table?.SSEDescription?.Status, 'ENABLED');
  assert.equal(table?.DeletionProtectionEnabled, true);
  assert.deepEqual(table?.StreamSpecification, { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  assert.ok((table?.CreationDateTime?.getTime() ?? 0) >= createdAfter - 1000);
  await assert.rejects(client.send(new DeleteTableCommand({ TableName })), { name: 'ValidationException' });
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  assert.equal((await describe())?.DeletionProtectionEnabled, false);
  await client.send(new DeleteTableCommand({ TableName }));
  assert.deepEqual(dynamodb.streams.current(TableName), undefined);
});

test('an update of throughput is done when it is answered; an index cannot be added', async (t) => {
  const { client } = await startDynamoDb(t);
  const ProvisionedThroughput = { ReadCapacityUnits: 7, WriteCapacityUnits: 3 };
  await client.send(new UpdateTableCommand({ TableName, BillingMode: 'PROVISIONED', ProvisionedThroughput }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table?.TableStatus, 'ACTIVE');
  assert.equal(Table?.ProvisionedThroughput?.ReadCapacityUnits, 7);
  const Create = {
    IndexName: 'by-sort-key',
    KeySchema: [{ AttributeName: 'sk', KeyType: 'HASH' as const }],
    Projection: { ProjectionType: 'ALL' as const },
    ProvisionedThroughput,
  };
  const GlobalSecondaryIndexUpdates = [{ Create }];
  await assert.rejects(client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates })), {
    name: 'ValidationException',
  });
});

test('point-in-time recovery is switched and described', async (t) => {
  const { client } = await startDynamoDb(t);
  const described = async () => {
    const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    return answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  };
  const update = (PointInTimeRecoveryEnabled: boolean) =>
    client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled },
      }),
    );
  assert.equal((await described())?.PointInTimeRecoveryStatus, 'DISABLED');
  await update(true);
  const on = await described();
  assert.equal(on?.PointInTimeRecoveryStatus, 'ENABLED');
  assert.ok(on?.EarliestRestorableDateTime instanceof Date);
  await update(false);
  assert.equal((await described())?.PointInTimeRecoveryStatus, 'DISABLED');
  await assert.rejects(client.send(new DescribeContinuousBackupsCommand({ TableName: 'nowhere' })), {
    name: 'ResourceNotFoundException',
  });
});

test('tags of the definition and later ones are listed until they are removed', async (t) => {
  const { client } = await startDynamoDb(t, [{ ...leases, Tags: [{ Key: 'network', Value: 'default' }] }]);
  const ResourceArn = (await client.send(new DescribeTableCommand({ TableName }))).Table?.TableArn;
  const tags = async () => (await client.send(new ListTagsOfResourceCommand({ ResourceArn }))).Tags;
  assert.deepEqual(await tags(), [{ Key: 'network', Value: 'default' }]);
  await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: 'zone', Value: 'a' }] }));
  await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ['network'] }));
  assert.deepEqual(await tags(), [{ Key: 'zone', Value: 'a' }]);
});

test('a seeded table holds its items, without stream records, and is dumped in the order of its keys', async (t) => {
  const items = [
    { pk: { S: 'b' }, sk: { S: '1' }, bytes: { B: 'AAEC' } },
    { pk: { S: 'a' }, sk: { S: '2' }, list: { L: [{ N: '1' }, { M: { on: { BOOL: true } } }] } },
    { pk: { S: 'a' }, sk: { S: '1' }, none: { NULL: true as const } },
  ];
  const { dynamodb, documents } = await startDynamoDb(t, [{ ...leases, Items: items }]);
  assert.deepEqual(await dynamodb.dumpTable(TableName), items.toReversed());
  for (const shard of dynamodb.streams.shards(TableName)) assert.equal(dynamodb.streams.latest(TableName, shard), 0);
  const { Item } = await documents.send(new GetCommand({ TableName, Key: { pk: 'b', sk: '1' } }));
  assert.deepEqual(Item?.['bytes'], Uint8Array.of(0, 1, 2));
  await assert.rejects(dynamodb.dumpTable('nowhere'), { code: 'ResourceNotFoundException' });
});
