/** What lies in DynamoDB, on two DynamoDBs that others wrote. */
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../shared/aws/clients.ts';
import { runDynamoDbContracts, type Tables } from '../contract/dynamodb-contracts.ts';
import { createTables } from './create-tables.ts';
import { credentials, region, startMiniStack } from './ministack.ts';
import { startMoto } from './moto.ts';
import { versionOf } from './third-parties.ts';

const servers = { moto: await startMoto(), ministack: await startMiniStack() };
after(() => Promise.all(Object.values(servers).map((server) => server.close())));

for (const [name, { url }] of Object.entries(servers)) {
  const version = await versionOf(name);
  test(`DynamoDB of ${version}`, (t) => t.diagnostic(`ran on ${version}`));
  runDynamoDbContracts(version, (t) => startTables(t, url));
}

async function startTables(t: TestContext, endpoint: string): Promise<Tables> {
  const client = documentClient({ endpoint, region, credentials });
  const id = randomUUID();
  const names = { claims: `claims-${id}`, leases: `leases-${id}`, map: `map-${id}` };
  await createTables(client, Object.values(names));
  t.after(async () => {
    for (const TableName of Object.values(names)) await client.send(new DeleteTableCommand({ TableName }));
    client.destroy();
  });
  return { client, network: 'default', names };
}
