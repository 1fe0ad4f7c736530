import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoSyncState } from '../../../shared/aws/sync-state.ts';
import { startTables } from './dynamodb-subject.ts';

test('an item that cannot be read is none, and the next writing repairs it', async (t) => {
  const tables = await startTables(t);
  const store = dynamoSyncState({ ...tables, tableName: 'map' });
  const items = [
    { state: 'text' },
    {},
    { state: new Uint8Array([1, 2, 3]) },
    { state: gzipSync('{"cut') },
    { state: gzipSync(JSON.stringify({ a: 1 })).subarray(0, 10) },
  ];
  for (const item of items) {
    const Item = { ...item, pk: 'network#default', sk: 'sync' };
    await tables.client.send(new PutCommand({ TableName: 'map', Item }));
    assert.equal(await store.read(), null);
  }
  await store.write({ mended: true });
  assert.deepEqual(await store.read(), { mended: true });
});
