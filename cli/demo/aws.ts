/** What the demo does to AWS: as an administrator, and as the nodes would. */
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeRouteTablesCommand, EC2Client, type Route } from '@aws-sdk/client-ec2';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { sandboxAccount, sandboxRegion } from '../../infra/sandbox/service.ts';

/** Rows of each table as EC2 prints them, by table id. */
export type Tables = Readonly<Record<string, readonly Route[]>>;

export interface Answer {
  readonly claimId: string;
  readonly status: string;
  readonly subnet?: string;
  readonly reason?: string;
}

export interface Aws {
  readonly ec2: EC2Client;
  describeTables(): Promise<Tables>;
  /** Writes a claim as the instance's agent does, with that instance's rights; `wanted` may name a subnet or an ENI. */
  claim(
    instanceId: string,
    claimId: string,
    wanted?: { readonly subnet?: string; readonly eniId?: string },
  ): Promise<void>;
  answer(instanceId: string): Promise<Answer | null>;
  close(): void;
}

export async function awsAt(endpoint: string): Promise<Aws> {
  const clientConfig = (accessKeyId: string) => ({
    endpoint,
    region: sandboxRegion,
    credentials: { accessKeyId, secretAccessKey: 'none' },
  });
  const ec2 = new EC2Client(clientConfig('ADMIN'));
  const dynamo = new DynamoDBClient(clientConfig('ADMIN'));
  const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}));
  const claims = TableNames.find((name) => name.includes('ClaimsTable'));
  const nodes = new Map<string, DynamoDBDocumentClient>();
  const nodeClient = (instanceId: string) => {
    const known = nodes.get(instanceId);
    if (known !== undefined) return known;
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(`NODE${instanceId}`)));
    nodes.set(instanceId, client);
    return client;
  };
  return {
    ec2,
    async describeTables() {
      const { RouteTables = [] } = await ec2.send(new DescribeRouteTablesCommand({ MaxResults: 100 }));
      return Object.fromEntries(
        RouteTables.map(({ RouteTableId = '', Routes = [] }): [string, Route[]] => [RouteTableId, Routes]).sort(
          ([a], [b]) => (a < b ? -1 : 1),
        ),
      );
    },
    async claim(instanceId, claimId, wanted = {}) {
      const item = { claimId, network: 'default', onLinkPrefix: 24, mtu: 9001, agentVersion: 'demo', ...wanted };
      const Item = { pk: arnOf(instanceId), sk: 'claim', ...item };
      await nodeClient(instanceId).send(new PutCommand({ TableName: claims, Item }));
    },
    async answer(instanceId) {
      const Key = { pk: arnOf(instanceId), sk: 'answer' };
      const { Item } = await nodeClient(instanceId).send(
        new GetCommand({ TableName: claims, Key, ConsistentRead: true }),
      );
      return (Item as Answer | undefined) ?? null;
    },
    close() {
      for (const client of [ec2, dynamo, ...nodes.values()]) client.destroy();
    },
  };
}

function arnOf(instanceId: string): string {
  return `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/${instanceId}`;
}
