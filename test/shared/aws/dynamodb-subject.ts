/** The three tables on an embedded DynamoDB, behind this project's own client. */
import type { TestContext } from 'node:test';
import { documentClient } from '../../../shared/aws/clients.ts';
import type { Tables } from '../../contract/dynamodb-contracts.ts';
import { leases, startDynamoDb } from '../../infra/sandbox/dynamodb/sandbox-dynamodb.ts';

export async function startTables(t: TestContext): Promise<Tables> {
  const names = ['claims', 'leases', 'map'];
  const { client: plain } = await startDynamoDb(
    t,
    names.map((TableName) => ({ ...leases, TableName })),
  );
  const { protocol, hostname, port } = (await plain.config.endpoint?.()) ?? { protocol: '', hostname: '', port: 0 };
  const client = documentClient({
    endpoint: `${protocol}//${hostname}:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  t.after(() => client.destroy());
  return { client, network: 'default', names: { claims: 'claims', leases: 'leases', map: 'map' } };
}
