import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dynamoNodeClaims } from '../../../agent/claim/node-claims.ts';
import { dynamoClaimStore } from '../../../shared/aws/claim-store.ts';
import { type Claim, parseClaim } from '../../../shared/domain/claim.ts';
import { leases, startDynamoDb } from '../../infra/sandbox/dynamodb/sandbox-dynamodb.ts';
import { arn, granted, subnet } from './claim-bench.ts';

const signal = new AbortController().signal;
const claim: Claim = {
  claimId: 'c-1',
  network: 'default',
  subnet: subnet('10.244.3.0/24'),
  eniId: 'eni-1',
  onLinkPrefix: 24,
  mtu: 9001,
  revision: 7,
  agentVersion: '0.1.0',
  release: false,
};

test('the keeper reads the claim as the node wrote it, and the node the answer', async (t) => {
  const world = await startDynamoDb(t, [{ ...leases, TableName: 'claims' }]);
  const table = { client: world.documents, tableName: 'claims' };
  const node = dynamoNodeClaims(table, arn);
  const keeper = dynamoClaimStore(table);
  assert.equal(await node.readAnswer(signal), null);

  await node.write(claim, signal);
  assert.deepEqual(parseClaim((await keeper.read(arn)).claim), claim);
  const answer = granted(claim, '10.244.3.0/24', 1_790_000_000);
  await keeper.writeAnswer(arn, answer);
  assert.deepEqual(await node.readAnswer(signal), answer);
});
