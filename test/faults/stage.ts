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
import { sandboxRegion } from '../../infra/sandbox/service.ts';
import { arnOf, foreignRows, isForeign, type StageOptions, tableIds, worldOf } from './landscape.ts';

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
    return this.tables().get(tableId) ?? [];
  }

  tables(): ReadonlyMap<string, readonly Route[]> {
    const { routeTables } = this.sandbox.ec2.snapshot();
    return new Map(
      routeTables.map((table) => [String(table['RouteTableId']), (table['Routes'] ?? []) as readonly Route[]]),
    );
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
    const tables = this.tables();
    return JSON.stringify(tableIds.map((id) => tables.get(id)?.filter(isForeign)));
  }

  calls(): readonly ApiCall[] {
    return this.sandbox.calls.calls;
  }

  /** Calls of the stack's functions at EC2 since the last `forget`, such as `CreateRoute rtb-a 10.244.1.0/24`. */
  ec2Calls(name?: 'sync-routes' | 'keep-leases' | 'resync'): string[] {
    return this.calls()
      .filter((call) => call.service === 'ec2' && call.function !== undefined)
      .filter((call) => name === undefined || (call.function ?? '').includes(name))
      .map(({ action, parameters }) => {
        const table = parameters['RouteTableId'];
        const where = Array.isArray(table) ? table.join(',') : table;
        return [action, where, parameters['DestinationCidrBlock']].filter((part) => part !== undefined).join(' ');
      });
  }

  writes(): string[] {
    return this.ec2Calls()
      .filter((call) => /^(Create|Replace|Delete)Route /.test(call))
      .sort();
  }

  forget(): void {
    this.sandbox.calls.clear();
  }

  #node(id: string): DynamoDBDocumentClient {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig(this.sandbox.url, `NODE${id}`)));
    this.#nodes.set(id, client);
    return client;
  }
}

function clientConfig(endpoint: string, accessKeyId: string) {
  return { endpoint, region: sandboxRegion, credentials: { accessKeyId, secretAccessKey: 'none' } };
}
