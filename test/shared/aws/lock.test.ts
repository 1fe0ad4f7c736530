import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoLock } from '../../../shared/aws/lock.ts';
import { startTables } from './dynamodb-subject.ts';

test('an item that no holder can have written locks nobody out', async (t) => {
  const tables = await startTables(t);
  const lock = dynamoLock({ ...tables, tableName: 'map' });
  const now = 1_793_491_200_000;
  const items = [
    {},
    { holder: 5 },
    { holder: 'somebody' },
    { holder: 'somebody', expiresAt: 'soon' },
    { holder: 'somebody', expiresAt: now + 86_400_000 },
  ];
  for (const item of items) {
    const Item = { ...item, pk: 'network#default', sk: 'lock' };
    await tables.client.send(new PutCommand({ TableName: 'map', Item }));
    assert.equal(await lock.tryTake('me', now, now + 120_000), true, JSON.stringify(item));
    assert.equal(await lock.tryTake('another', now, now + 120_000), false);
    await lock.release('me');
  }
});
