import assert from 'node:assert/strict';
import test from 'node:test';
import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-dynamodb-streams';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { leases, recordsOf, startDynamoDb } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const table = { ...leases, TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } };
const Key = { pk: 'network#default', sk: 'lease#10.244.7.0/24' };
const day = 86_400;

test('an item past its time is returned until the sweep, then removed by the service itself', async (t) => {
  const sandbox = await startDynamoDb(t, [table]);
  const { documents, dynamodb, clock, streamsClient } = sandbox;
  const ttl = Math.floor(clock.now() / 1000) + 50;
  await documents.send(new PutCommand({ TableName, Item: { ...Key, ttl } }));
  assert.equal(await dynamodb.sweepTtl(), 0);
  clock.advance(52);
  assert.deepEqual((await documents.send(new GetCommand({ TableName, Key }))).Item, { ...Key, ttl });
  assert.equal(await dynamodb.sweepTtl(), 1);
  assert.equal((await documents.send(new GetCommand({ TableName, Key }))).Item, undefined);

  const removal = recordsOf(sandbox).at(-1);
  assert.equal(removal?.eventName, 'REMOVE');
  assert.deepEqual(removal?.userIdentity, { type: 'Service', principalId: 'dynamodb.amazonaws.com' });
  assert.deepEqual(removal?.dynamodb.OldImage?.['ttl'], { N: String(ttl) });

  const StreamArn = dynamodb.streams.current(TableName)?.arn;
  const { StreamDescription } = await streamsClient.send(new DescribeStreamCommand({ StreamArn }));
  const identities: unknown[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const { ShardIterator } = await streamsClient.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    );
    const { Records } = await streamsClient.send(new GetRecordsCommand({ ShardIterator }));
    identities.push(...(Records ?? []).map(({ eventName, userIdentity }) => [eventName, userIdentity]));
  }
  assert.deepEqual(identities, [
    ['INSERT', undefined],
    ['REMOVE', { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' }],
  ]);
});

test('a removal by a client carries no identity', async (t) => {
  const sandbox = await startDynamoDb(t, [table]);
  const caller = { accessKeyId: '', arn: '', account: '' };
  const params = { TableName, Key: { pk: { S: 'p' }, sk: { S: 's' } } };
  await sandbox.documents.send(new PutCommand({ TableName, Item: { pk: 'p', sk: 's' } }));
  await sandbox.dynamodb.handle({ service: 'dynamodb', action: 'DeleteItem', params, caller });
  assert.equal(recordsOf(sandbox).at(-1)?.eventName, 'REMOVE');
  assert.equal(recordsOf(sandbox).at(-1)?.userIdentity, undefined);
});

test('what is no Number, lies in the future or more than five years back is kept', async (t) => {
  const { documents, dynamodb, clock } = await startDynamoDb(t, [table]);
  const now = Math.floor(clock.now() / 1000);
  const kept = {
    text: String(now - day),
    future: now + day,
    milliseconds: (now - day) * 1000,
    ancient: now - 1827 * day,
  };
  for (const [sk, ttl] of Object.entries(kept)) {
    await documents.send(new PutCommand({ TableName, Item: { pk: 'kept', sk, ttl } }));
  }
  await documents.send(new PutCommand({ TableName, Item: { pk: 'kept', sk: 'none' } }));
  await documents.send(new PutCommand({ TableName, Item: { pk: 'old', sk: 'old', ttl: now - 1800 * day } }));
  assert.equal(await dynamodb.sweepTtl(), 1);
  const left = await dynamodb.dumpTable(TableName);
  assert.deepEqual(
    left.map((item) => item['sk']),
    ['ancient', 'future', 'milliseconds', 'none', 'text'].map((S) => ({ S })),
  );
});

test('an advance of the clock brings the sweep by itself', async (t) => {
  const { documents, dynamodb, clock } = await startDynamoDb(t, [table]);
  const removed = new Promise<string>((resolve) => {
    dynamodb.streams.onRecord((_table, _shard, record) => {
      if (record.eventName === 'REMOVE') resolve(record.userIdentity?.principalId ?? '');
    });
  });
  await documents.send(new PutCommand({ TableName, Item: { ...Key, ttl: Math.floor(clock.now() / 1000) + day } }));
  clock.advance(2 * day);
  assert.equal(await removed, 'dynamodb.amazonaws.com');
});

test('time to live is switched and described, and nothing expires while it is off', async (t) => {
  const { client, documents, dynamodb } = await startDynamoDb(t);
  const described = async () => (await client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
  const update = (Enabled: boolean) =>
    client.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName: 'expires', Enabled } }),
    );
  await documents.send(new PutCommand({ TableName, Item: { ...Key, expires: Math.floor(Date.now() / 1000) - 60 } }));
  assert.deepEqual(await described(), { TimeToLiveStatus: 'DISABLED' });
  await assert.rejects(update(false), { name: 'ValidationException', message: 'TimeToLive is already disabled' });
  assert.equal(await dynamodb.sweepTtl(), 0);
  const { TimeToLiveSpecification } = await update(true);
  assert.deepEqual(TimeToLiveSpecification, { AttributeName: 'expires', Enabled: true });
  assert.deepEqual(await described(), { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' });
  await assert.rejects(update(true), { name: 'ValidationException', message: 'TimeToLive is already enabled' });
  assert.equal(await dynamodb.sweepTtl(), 1);
  await update(false);
  assert.deepEqual(await described(), { TimeToLiveStatus: 'DISABLED' });
});
