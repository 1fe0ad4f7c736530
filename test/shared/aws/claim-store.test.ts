import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { dynamoClaimStore } from '../../../shared/aws/claim-store.ts';
import { parseClaim } from '../../../shared/domain/claim.ts';
import { arnOf } from '../../contract/lease-samples.ts';
import { startTables } from './dynamodb-subject.ts';

test('a claim that means harm is read, and then refused by its validation', async (t) => {
  const { client } = await startTables(t);
  const Item = {
    pk: { S: arnOf('i-1') },
    sk: { S: 'claim' },
    claimId: { S: 'claim-1' },
    network: { S: 'default' },
    // More digits than JavaScript has: the SDK's own reading of it throws.
    mtu: { N: '1234567890123456789012345678901234567.5' },
    eniId: { M: { deep: { L: [{ NULL: true }, { SS: ['a'] }, { B: new Uint8Array([1]) }] } } },
  };
  await client.send(new PutItemCommand({ TableName: 'claims', Item }));
  const { claim } = await dynamoClaimStore({ client, tableName: 'claims' }).read(arnOf('i-1'));
  assert.throws(() => parseClaim(claim), { name: 'InvalidInput' });
});
