/** The policy of nodes under an IAM that others wrote: as the template has it, and what it still holds without its conditions. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, type TestContext, test } from 'node:test';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { readStack } from '../../infra/sandbox/template/stack.ts';
import { present } from '../contract/ec2-bench.ts';
import { type NodeRightsSubject, runNodeRightsContract } from '../contract/node-rights-contract.ts';
import { awsCli } from './aws-cli.ts';
import { createTables } from './create-tables.ts';
import { differencesOf } from './differences.ts';
import { account, credentials, region, startMiniStack } from './ministack.ts';
import { startMoto } from './moto.ts';
import { checkout, versionOf } from './third-parties.ts';

interface Policy {
  readonly Version: string;
  readonly Statement: readonly { readonly Condition?: object; readonly Resource?: string }[];
}

const { resources } = readStack(readFileSync(`${checkout}infra/template.yaml`, 'utf8'), {
  stackName: 'leaseway',
  parameters: { RouteTableIds: 'rtb-1' },
  endpoint: 'http://127.0.0.1',
});
const named = (logicalId: string) => present(resources.find((each) => each.logicalId === logicalId));
const tables = {
  claims: named('ClaimsTable').name,
  leases: named('LeasesTable').name,
  map: named('MapTable').name,
};
const policy = named('NodePolicy').properties['PolicyDocument'] as Policy;
const unconditional = { ...policy, Statement: policy.Statement.map(({ Condition: _, ...rest }) => rest) };

const servers = { moto: await startMoto(), ministack: await startMiniStack() };
after(() => Promise.all(Object.values(servers).map((server) => server.close())));
await Promise.all(Object.values(servers).map(({ url }) => makeTables(url)));

const ministack = await versionOf('ministack');
test(`IAM of ${ministack}`, (t) => t.diagnostic(`ran on ${ministack}`));
runNodeRightsContract(
  `rights of nodes on ${ministack}`,
  (t) => nodeOf(t, servers.ministack.url, policy),
  differencesOf('ministack', 'node rights'),
);
runNodeRightsContract(
  `rights of nodes on ${ministack}, were the policy without conditions`,
  (t) => nodeOf(t, servers.ministack.url, unconditional),
  { 'lets no node reach the claim of another, or the map of another network': 'that is what the conditions are for' },
);

// Once this fails, the contract can be tried on moto too.
test('moto holds policies against actions alone, so that its IAM cannot be under the contract', async (t) => {
  t.diagnostic(`ran on ${await versionOf('moto')}`);
  const { url } = servers.moto;
  const asItIs = await nodeOf(t, url, policy);
  const onEverything = { ...policy, Statement: policy.Statement.map((each) => ({ ...each, Resource: '*' })) };
  const wide = await nodeOf(t, url, onEverything);
  // From now on calls are authorised.
  await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: '0', headers: { 'content-type': 'text/plain' } });
  const others = new GetItemCommand({ TableName: tables.claims, Key: { pk: { S: 'another' }, sk: { S: 'claim' } } });
  const status = (node: NodeRightsSubject) =>
    node.dynamodb.send(others).then(
      ({ $metadata }) => $metadata.httpStatusCode,
      // In XML, which no client of DynamoDB can read.
      (error: { $metadata?: { httpStatusCode?: number } }) => error.$metadata?.httpStatusCode,
    );
  assert.deepEqual([await status(asItIs), await status(wide)], [403, 200]);
});

async function makeTables(endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region, credentials });
  await createTables(client, Object.values(tables));
  client.destroy();
}

/** An instance whose role has the policy. */
async function nodeOf(t: TestContext, endpoint: string, document: object): Promise<NodeRightsSubject> {
  const RoleName = randomUUID();
  const trust = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' };
  await awsCli(
    endpoint,
    ...['iam', 'create-role', '--role-name', RoleName],
    ...['--assume-role-policy-document', JSON.stringify({ Version: '2012-10-17', Statement: [trust] })],
  );
  await awsCli(
    endpoint,
    ...['iam', 'put-role-policy', '--role-name', RoleName, '--policy-name', 'node'],
    ...['--policy-document', JSON.stringify(document)],
  );
  const sts = new STSClient({ endpoint, region, credentials });
  const RoleArn = `arn:aws:iam::${account}:role/${RoleName}`;
  const assumed = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'i-1' }));
  sts.destroy();
  const options = {
    endpoint,
    region,
    credentials: {
      accessKeyId: present(assumed.Credentials?.AccessKeyId),
      secretAccessKey: present(assumed.Credentials?.SecretAccessKey),
      sessionToken: present(assumed.Credentials?.SessionToken),
    },
  };
  const [dynamodb, ec2] = [new DynamoDBClient(options), new EC2Client(options)];
  t.after(() => {
    dynamodb.destroy();
    ec2.destroy();
  });
  return { dynamodb, ec2, tables };
}
