/**
 * The whole product on the embedded AWS: functions as processes from their bundles, wired by the template. Tests act as
 * nodes, as EC2 and as operators, and look at tables, calls and queues.
 */

import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DeleteRouteCommand, EC2Client, type Route } from '@aws-sdk/client-ec2';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type Sandbox, startSandbox } from '../../infra/sandbox/sandbox.ts';
import { sandboxAccount, sandboxRegion } from '../../infra/sandbox/service.ts';

export const tableIds = ['rtb-a', 'rtb-b', 'rtb-c'] as const;

const created = { Origin: 'CreateRoute', State: 'active' };
const local = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };

/** Other people's rows, of every form that must stay as it is. */
export const foreignRows: readonly Readonly<Record<string, string>>[] = [
  local,
  { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-0', ...created },
  { DestinationPrefixListId: 'pl-6ea54007', GatewayId: 'vpce-0', ...created },
  { DestinationCidrBlock: '172.31.0.0/16', VpcPeeringConnectionId: 'pcx-0', ...created },
  { DestinationCidrBlock: '192.168.0.0/16', GatewayId: 'vgw-0', Origin: 'EnableVgwRoutePropagation', State: 'active' },
  { DestinationCidrBlock: '10.128.0.0/9', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.244.0.0/16', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.245.1.0/24', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.244.240.0/25', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.244.241.0/24', NatGatewayId: 'nat-0', ...created },
  { DestinationCidrBlock: '10.244.242.0/24', GatewayId: 'igw-0', ...created },
  { DestinationCidrBlock: '10.250.1.0/24', NetworkInterfaceId: 'eni-0dead', Origin: 'CreateRoute', State: 'blackhole' },
  { DestinationIpv6CidrBlock: '::/0', EgressOnlyInternetGatewayId: 'eigw-0', ...created },
];

export interface StageOptions {
  readonly nodes: number;
  /** Merged over the plain configuration. */
  readonly backend?: object;
  readonly leaseway?: object;
  readonly leases?: readonly (object & { readonly subnet: string; readonly eniId: string })[];
  readonly foreign?: readonly object[];
  readonly throttle?: boolean;
  /** Whether the routes of the given leases are in the tables at the start. */
  readonly routed?: boolean;
  /** `real`: functions sleep as long as they say. Else their sleeps move the clock, and last no time. */
  readonly waits?: 'real' | 'skip';
}

export interface ApiCall {
  readonly service: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly function?: string;
  readonly outcome?: { readonly error?: string };
}

export interface Answer {
  readonly claimId: string;
  readonly status: string;
  readonly subnet?: string;
  readonly reason?: string;
}

/** Instance `n`, as in `i-001`. */
export const instanceId = (n: number) => `i-${n.toString(16).padStart(3, '0')}`;
export const eniId = (n: number) => `eni-${n.toString(16).padStart(3, '0')}`;
export const arnOf = (id: string) => `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/${id}`;

export class Stage {
  readonly sandbox: Sandbox;
  readonly ec2: EC2Client;
  readonly #lambda: LambdaClient;
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #nodes = new Map<string, DynamoDBDocumentClient>();
  readonly names: { readonly claims: string; readonly leases: string; readonly map: string };

  private constructor(sandbox: Sandbox, names: Stage['names']) {
    this.sandbox = sandbox;
    this.names = names;
    const admin = clientConfig(sandbox.url, 'ADMIN');
    this.ec2 = new EC2Client(admin);
    this.#lambda = new LambdaClient(admin);
    this.#dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(admin));
  }

  static async start(t: TestContext, options: StageOptions): Promise<Stage> {
    const sandbox = await startSandbox({
      templateFile: fileURLToPath(new URL('../../infra/template.yaml', import.meta.url)),
      parameters: { RouteTableIds: tableIds.join(',') },
      world: worldOf(options),
      transitionMs: 5,
      waits: options.waits ?? 'skip',
      asyncRetrySeconds: [0.1, 0.2],
      ...(options.throttle === undefined ? {} : { throttle: options.throttle }),
    });
    const admin = new DynamoDBClient(clientConfig(sandbox.url, 'ADMIN'));
    const { TableNames = [] } = await admin.send(new ListTablesCommand({}));
    admin.destroy();
    const named = (part: string) => TableNames.find((name) => name.toLowerCase().includes(part)) ?? '';
    const stage = new Stage(sandbox, { claims: named('claims'), leases: named('leases'), map: named('map') });
    t.after(() => stage.close());
    return stage;
  }

  async close(): Promise<void> {
    this.ec2.destroy();
    this.#lambda.destroy();
    this.#dynamo.destroy();
    for (const client of this.#nodes.values()) client.destroy();
    await this.sandbox.close();
  }

  // ---- as a node

  async claim(id: string, claimId: string, wanted: object = {}): Promise<void> {
    const Item = { pk: arnOf(id), sk: 'claim', claimId, network: 'default', onLinkPrefix: 24, ...wanted };
    await this.#node(id).send(new PutCommand({ TableName: this.names.claims, Item }));
  }

  /** The same item, written with every right. */
  async claimAsAdmin(id: string, claimId: string, wanted: object): Promise<void> {
    const Item = { pk: arnOf(id), sk: 'claim', claimId, network: 'default', onLinkPrefix: 24, ...wanted };
    await this.#dynamo.send(new PutCommand({ TableName: this.names.claims, Item }));
  }

  async answer(id: string): Promise<Answer | null> {
    const Key = { pk: arnOf(id), sk: 'answer' };
    const { Item } = await this.#node(id).send(
      new GetCommand({ TableName: this.names.claims, Key, ConsistentRead: true }),
    );
    return (Item as Answer | undefined) ?? null;
  }

  /** Every answer there is. */
  async answers(): Promise<(Answer & { readonly pk: string })[]> {
    const items: (Answer & { readonly pk: string })[] = [];
    let from: Record<string, unknown> | undefined;
    do {
      const page = await this.#dynamo.send(
        new ScanCommand({
          TableName: this.names.claims,
          FilterExpression: 'sk = :answer',
          ExpressionAttributeValues: { ':answer': 'answer' },
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      );
      items.push(...((page.Items ?? []) as (Answer & { readonly pk: string })[]));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return items;
  }

  /** Claims until answered for good, as agents do. */
  async join(...ids: readonly string[]): Promise<Answer[]> {
    return this.joinWanting({}, ...ids);
  }

  async joinWanting(wanted: object, ...ids: readonly string[]): Promise<Answer[]> {
    return Promise.all(
      ids.map(async (id) => {
        for (let round = 0; round < 50; round += 1) {
          const claimId = `${id}-${round}-${Math.random()}`;
          await this.claim(id, claimId, wanted);
          for (let look = 0; look < 100; look += 1) {
            const answer = await this.answer(id);
            if (answer?.claimId === claimId && answer.status !== 'pending') return answer;
            if (answer?.claimId === claimId) break;
            await sleep(20);
          }
        }
        throw new Error(`${id} was never answered`);
      }),
    );
  }

  // ---- as an operator

  async resync(request: object = {}): Promise<Record<string, unknown>> {
    return this.#invoke('leaseway-resync', request);
  }

  async command(request: object): Promise<Record<string, unknown>> {
    return this.#invoke('leaseway-keep-leases', request);
  }

  async #invoke(FunctionName: string, request: object): Promise<Record<string, unknown>> {
    const { Payload, FunctionError } = await this.#lambda.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(request) }),
    );
    const answer = JSON.parse(Buffer.from(Payload ?? []).toString()) as Record<string, unknown>;
    if (FunctionError !== undefined) throw new Error(`${FunctionName}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async items(table: keyof Stage['names'], prefix: string): Promise<Record<string, unknown>[]> {
    const { Items = [] } = await this.#dynamo.send(
      new QueryCommand({
        TableName: this.names[table],
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': 'network#default', ':sk': prefix },
        ConsistentRead: true,
      }),
    );
    return Items;
  }

  get dynamo(): DynamoDBDocumentClient {
    return this.#dynamo;
  }

  // ---- the world

  /** An event of EC2's on the default bus. `second`: of its time. */
  async event(id: string, state: string, second: number): Promise<void> {
    await this.control('POST', 'events', {
      source: 'aws.ec2',
      'detail-type': 'EC2 Instance State-change Notification',
      time: new Date(second * 1000).toISOString(),
      resources: [arnOf(id)],
      detail: { 'instance-id': id, state },
    });
  }

  /** Puts a row in place of the one of its destination, in a form that no API call can make. */
  async plant(tableId: string, row: Readonly<Record<string, string>>): Promise<void> {
    const { DestinationCidrBlock } = row;
    const isThere = this.rows(tableId).some((each) => each.DestinationCidrBlock === DestinationCidrBlock);
    if (isThere) await this.ec2.send(new DeleteRouteCommand({ RouteTableId: tableId, DestinationCidrBlock }));
    await this.control('POST', 'routes', { RouteTableId: tableId, Route: row });
  }

  now(): number {
    return Math.floor(this.sandbox.clock.now() / 1000);
  }

  async advance(seconds: number): Promise<void> {
    await this.control('POST', 'clock', { advanceSeconds: seconds });
  }

  async schedule(id: 'SyncScheduleRule' | 'SweepScheduleRule'): Promise<void> {
    await this.control('POST', `schedules/${id}?wait=true`);
    await this.idle();
  }

  fault(...faults: readonly object[]): Promise<unknown> {
    return this.control('POST', 'faults', faults);
  }

  async idle(): Promise<void> {
    await this.sandbox.idle(120_000);
  }

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.sandbox.url}/_sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  // ---- what is seen

  /** Rows of a table straight from the sandbox: no call of ours is in the log. */
  rows(tableId: string): readonly Route[] {
    const table = this.sandbox.ec2.snapshot().routeTables.find((each) => each['RouteTableId'] === tableId);
    return (table?.['Routes'] ?? []) as readonly Route[];
  }

  /** Rows of leases, such as `10.244.1.0/24 eni-001 active`, in order of the subnet. */
  ours(tableId: string): string[] {
    return this.rows(tableId)
      .filter((row) => /^10\.244\.\d+\.0\/24$/.test(row.DestinationCidrBlock ?? '') && !isForeign(row))
      .map((row) => `${row.DestinationCidrBlock} ${row.NetworkInterfaceId ?? '-'} ${row.State}`)
      .sort();
  }

  /** Destinations of other people's rows that every listed table has from the start. */
  get foreignDestinations(): readonly string[] {
    return foreignRows.flatMap((row) => row['DestinationCidrBlock'] ?? []);
  }

  /** Every member of every row that is not a lease's. */
  foreign(): string {
    return JSON.stringify(tableIds.map((id) => this.rows(id).filter(isForeign)));
  }

  async calls(): Promise<ApiCall[]> {
    return (await this.control('GET', 'calls')) as ApiCall[];
  }

  /** Calls of the stack's functions at EC2 since the last `forget`, such as `CreateRoute rtb-a 10.244.1.0/24`. */
  async ec2Calls(name?: 'sync-routes' | 'keep-leases' | 'resync'): Promise<string[]> {
    return (await this.calls())
      .filter((call) => call.service === 'ec2' && call.function !== undefined)
      .filter(
        (call) =>
          name === undefined ||
          (call.function ?? '').toLowerCase().includes(name.replace('-', '')) ||
          (call.function ?? '').includes(name),
      )
      .map(({ action, parameters }) => {
        const table = parameters['RouteTableId'];
        const where = Array.isArray(table) ? table.join(',') : table;
        return [action, where, parameters['DestinationCidrBlock']].filter((part) => part !== undefined).join(' ');
      });
  }

  async writes(): Promise<string[]> {
    return (await this.ec2Calls()).filter((call) => /^(Create|Replace|Delete)Route /.test(call)).sort();
  }

  async forget(): Promise<void> {
    await this.control('DELETE', 'calls');
  }

  /** Messages that ended in a dead-letter queue or among the rejects. */
  async deadLetters(): Promise<string> {
    const queues = (await this.control('GET', 'queues')) as Record<string, { messages?: unknown; bodies?: unknown }>;
    return JSON.stringify(queues);
  }

  #node(id: string): DynamoDBDocumentClient {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(this.sandbox.url, `NODE${id}`)));
    this.#nodes.set(id, client);
    return client;
  }
}

function isForeign(row: Route): boolean {
  return foreignRows.some((each) =>
    ['DestinationCidrBlock', 'DestinationIpv6CidrBlock', 'DestinationPrefixListId'].some(
      (key) => each[key] !== undefined && each[key] === (row as Record<string, unknown>)[key],
    ),
  );
}

function clientConfig(endpoint: string, accessKeyId: string) {
  return { endpoint, region: sandboxRegion, credentials: { accessKeyId, secretAccessKey: 'none' } };
}

/** EC2, leases and configuration at the start, as a world file. */
export function worldOf({
  nodes,
  backend,
  leaseway,
  leases = [],
  foreign = foreignRows,
  routed = false,
}: StageOptions) {
  const routes = leases.map(({ subnet, eniId: eni }) => ({
    DestinationCidrBlock: subnet,
    NetworkInterfaceId: eni,
    ...created,
  }));
  return {
    config: {
      Network: '10.244.0.0/16',
      SubnetLen: 24,
      Backend: { Type: 'aws-vpc', RouteTableID: tableIds, ...backend },
      Leaseway: leaseway,
    },
    leases,
    instances: {
      Reservations: [{ ReservationId: 'r-1', Instances: Array.from({ length: nodes }, (_, at) => instance(at + 1)) }],
    },
    routeTables: {
      RouteTables: [
        ...tableIds.map((id, at) => ({
          RouteTableId: id,
          VpcId: 'vpc-1',
          Associations: [{ RouteTableAssociationId: `rtbassoc-${at}`, SubnetId: `subnet-${at}`, Main: false }],
          Routes: routed ? [...foreign, ...routes] : foreign,
        })),
        {
          RouteTableId: 'rtb-public',
          VpcId: 'vpc-1',
          Associations: [{ RouteTableAssociationId: 'rtbassoc-main', Main: true }],
          Routes: [local],
        },
      ],
    },
  };
}

/** Node `n` in one of three subnets, running. */
export function instance(n: number) {
  const zone = n % 3;
  const address = `10.0.${zone * 64 + (n >> 8)}.${n & 255}`;
  const place = { VpcId: 'vpc-1', SubnetId: `subnet-${zone}`, PrivateIpAddress: address };
  return {
    InstanceId: instanceId(n),
    State: { Code: 16, Name: 'running' },
    ...place,
    NetworkInterfaces: [
      {
        NetworkInterfaceId: eniId(n),
        ...place,
        SourceDestCheck: true,
        Attachment: {
          AttachmentId: `eni-attach-${n.toString(16).padStart(3, '0')}`,
          DeviceIndex: 0,
          Status: 'attached',
          DeleteOnTermination: true,
        },
      },
    ],
  };
}

/** What every listed table must hold for leases by their answers. */
export function expected(answers: ReadonlyMap<string, string>): string[] {
  return [...answers].map(([subnet, eni]) => `${subnet} ${eni} active`).sort();
}
