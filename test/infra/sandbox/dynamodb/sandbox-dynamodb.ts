/** A DynamoDB of the sandbox behind a minimal endpoint, with the clients of the AWS SDK that reach it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../../infra/sandbox/dynamodb/attribute-value.ts';
import { DynamoDb } from '../../../../infra/sandbox/dynamodb/dynamodb.ts';
import type { StreamRecord } from '../../../../infra/sandbox/dynamodb/stream-record.ts';
import type { TableDefinition } from '../../../../infra/sandbox/dynamodb/table-definition.ts';
import {
  AwsError,
  type SandboxClock,
  type Service,
  sandboxAccount,
  sandboxRegion,
} from '../../../../infra/sandbox/service.ts';

export interface SandboxDynamoDb {
  readonly dynamodb: DynamoDb;
  readonly clock: SandboxClock;
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  readonly streamsClient: DynamoDBStreamsClient;
}

export const leases: TableDefinition = {
  TableName: 'leases',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

export async function startDynamoDb(
  t: TestContext,
  tables: readonly TableDefinition[] = [leases],
): Promise<SandboxDynamoDb> {
  const clock = testClock();
  const dynamodb = new DynamoDb({ clock });
  await dynamodb.start();
  for (const table of tables) await dynamodb.seedTable(table);
  const services = new Map<string, Service>([
    ['DynamoDB_20120810', dynamodb],
    ['DynamoDBStreams_20120810', dynamodb.streams],
  ]);
  const server = createServer((request, response) => void answer(services, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: sandboxRegion,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
  const client = new DynamoDBClient(options);
  const documents = DynamoDBDocumentClient.from(client);
  const streamsClient = new DynamoDBStreamsClient(options);
  t.after(async () => {
    client.destroy();
    streamsClient.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await dynamodb.close();
  });
  return { dynamodb, clock, client, documents, streamsClient };
}

/** Every record of a table's stream, shard after shard. */
export function recordsOf({ dynamodb }: SandboxDynamoDb, table = 'leases'): readonly StreamRecord[] {
  return dynamodb.streams
    .shards(table)
    .flatMap((shardId) => dynamodb.streams.read(table, shardId, 0, Number.MAX_SAFE_INTEGER).records);
}

export function text(item: Item | undefined, attribute: string): string | undefined {
  const value = item?.[attribute];
  return value !== undefined && 'S' in value ? value.S : undefined;
}

function testClock(): SandboxClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
  };
}

async function answer(
  services: ReadonlyMap<string, Service>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [target, action = ''] = String(request.headers['x-amz-target']).split('.');
  const service = services.get(target ?? '');
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  try {
    if (service === undefined) throw new AwsError('UnknownOperationException', `no service ${target}`);
    const params = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    const caller = { accessKeyId: 'test', arn: `arn:aws:iam::${sandboxAccount}:user/test`, account: sandboxAccount };
    response.end(JSON.stringify(await service.handle({ service: service.name, action, params, caller })));
  } catch (error) {
    const { code, status, message, members } =
      error instanceof AwsError ? error : new AwsError('InternalFailure', String(error), 500);
    response.statusCode = status;
    response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message, ...members }));
  }
}
