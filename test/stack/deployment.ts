/**
 * The product on MiniStack: the template as it is, packaged and deployed by the AWS CLI through CloudFormation. EC2 alone
 * is another one, since MiniStack's has no next hops.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client, type Route } from '@aws-sdk/client-ec2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { arnOf } from '../faults/landscape.ts';
import type { Answer } from '../faults/stage.ts';
import { awsCli, awsJson } from './aws-cli.ts';
import { credentials, region, startMiniStack } from './ministack.ts';
import type { ServerProcess } from './server-process.ts';
import { checkout } from './third-parties.ts';

export const templateFile = `${checkout}infra/template.yaml`;
const bucket = 'leaseway-packages';

export interface StackResource {
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceStatus: string;
}

/** The EC2 beside MiniStack. */
export interface OtherEc2 {
  readonly url: string;
  /** All rows of a table, in EC2's own words. */
  rows(tableId: string): Promise<readonly Route[]>;
  close(): Promise<void>;
}

export class Deployment {
  readonly ec2: EC2Client;
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventBridgeClient;
  readonly #other: OtherEc2;
  readonly #server: ServerProcess;
  readonly #folder = mkdtempSync(join(tmpdir(), 'leaseway-package-'));
  #outputs: ReadonlyMap<string, string> = new Map();

  private constructor(other: OtherEc2, server: ServerProcess) {
    this.#other = other;
    this.#server = server;
    const client = { endpoint: server.url, region, credentials };
    this.ec2 = new EC2Client({ ...client, endpoint: other.url });
    this.lambda = new LambdaClient(client);
    this.sqs = new SQSClient(client);
    this.events = new EventBridgeClient(client);
    this.dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(client));
  }

  /** Nothing is deployed yet. The other EC2 is closed with it. */
  static async start(other: OtherEc2): Promise<Deployment> {
    try {
      return new Deployment(other, await startMiniStack(other.url));
    } catch (error) {
      await other.close();
      throw error;
    }
  }

  /** MiniStack's own endpoint. */
  get url(): string {
    return this.#server.url;
  }

  async close(): Promise<void> {
    for (const client of [this.ec2, this.lambda, this.sqs, this.events, this.dynamo]) client.destroy();
    await this.#server.close();
    await this.#other.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  // ---- as whoever deploys

  aws(...args: readonly string[]): Promise<unknown> {
    return awsJson(this.#server.url, ...args);
  }

  /** Creates or updates the stack. */
  async deploy(parameters: Readonly<Record<string, string>>): Promise<void> {
    const packaged = join(this.#folder, 'packaged.yaml');
    const { url } = this.#server;
    await awsCli(url, 's3', 'mb', `s3://${bucket}`).catch(() => undefined);
    await awsCli(
      url,
      ...['cloudformation', 'package', '--template-file', templateFile],
      ...['--s3-bucket', bucket, '--output-template-file', packaged],
    );
    await awsCli(
      url,
      ...['cloudformation', 'deploy', '--template-file', packaged, '--stack-name', 'leaseway'],
      ...['--s3-bucket', bucket, '--capabilities', 'CAPABILITY_IAM', '--parameter-overrides'],
      ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
    );
    const described = (await this.aws('cloudformation', 'describe-stacks', '--stack-name', 'leaseway')) as {
      Stacks: { Outputs: { OutputKey: string; OutputValue: string }[] }[];
    };
    const outputs = described.Stacks[0]?.Outputs ?? [];
    this.#outputs = new Map(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  }

  async resources(): Promise<readonly StackResource[]> {
    const answer = await this.aws('cloudformation', 'describe-stack-resources', '--stack-name', 'leaseway');
    return (answer as { StackResources: StackResource[] }).StackResources;
  }

  output(key: string): string {
    const value = this.#outputs.get(key);
    if (value === undefined) throw new Error(`the stack has no output ${key}: ${[...this.#outputs.keys()].join(', ')}`);
    return value;
  }

  /** @returns what it answered; throws what it threw */
  async invoke(functionName: string, request: object): Promise<Record<string, unknown>> {
    const { Payload, FunctionError } = await this.lambda.send(
      new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) }),
    );
    const text = Buffer.from(Payload ?? []).toString();
    if (FunctionError !== undefined) throw new Error(`${functionName}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async configure(tables: readonly string[]): Promise<void> {
    const config = { Network: '10.244.0.0/16', SubnetLen: 24, Backend: { Type: 'aws-vpc', RouteTableID: tables } };
    const request = { command: 'network-apply', config: JSON.stringify(config) };
    await this.invoke(this.output('KeepLeasesFunctionName'), request);
  }

  // ---- as a node

  async claim(id: string, claimId: string): Promise<void> {
    const Item = { pk: arnOf(id), sk: 'claim', claimId, network: 'default', onLinkPrefix: 24 };
    await this.dynamo.send(new PutCommand({ TableName: this.output('ClaimsTableName'), Item }));
  }

  async answer(id: string): Promise<Answer | null> {
    const TableName = this.output('ClaimsTableName');
    const Key = { pk: arnOf(id), sk: 'answer' };
    const { Item } = await this.dynamo.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return (Item as Answer | undefined) ?? null;
  }

  // ---- as EC2

  /** An event of EC2's on the default bus, of this second. */
  event(id: string, state: string): void {
    const detail = { 'instance-id': id, state };
    this.#server.tell(
      JSON.stringify({
        Source: 'aws.ec2',
        DetailType: 'EC2 Instance State-change Notification',
        Time: Math.floor(Date.now() / 1000),
        Resources: [arnOf(id)],
        Detail: JSON.stringify(detail),
      }),
    );
  }

  // ---- what is seen

  /** Every row of a table, as JSON texts in order. */
  async rows(tableId: string): Promise<string[]> {
    return (await this.#other.rows(tableId)).map((row) => JSON.stringify(row)).sort();
  }

  /** The ENI and the state that each table has for the destination: `eni-001 active`, or `none`. */
  async hops(destination: string, tables: readonly string[]): Promise<string[]> {
    const hops: string[] = [];
    for (const id of tables) {
      const row = (await this.#other.rows(id)).find((each) => each.DestinationCidrBlock === destination);
      hops.push(row === undefined ? 'none' : `${row.NetworkInterfaceId} ${row.State}`);
    }
    return hops;
  }

  /** Bodies of the messages that a queue holds; they stay there. */
  async messages(queueUrl: string): Promise<string[]> {
    const { Messages = [] } = await this.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    );
    return Messages.map(({ Body = '' }) => Body);
  }

  log(): string {
    return this.#server.log();
  }
}
