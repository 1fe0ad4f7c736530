/**
 * DynamoDB of the sandbox: dynalite in memory, and in front of it what dynalite lacks (transactions, streams, TTL, the
 * item of a failed condition).
 */
import { type ApiRequest, AwsError, type SandboxClock, type Service } from '../service.ts';
import type { Item } from './attribute-value.ts';
import { describeContinuousBackups, updateContinuousBackups } from './continuous-backups.ts';
import { Engine, type Params } from './engine.ts';
import { batchWrite, writeItem } from './item-writes.ts';
import { RequestTokens } from './request-tokens.ts';
import { DynamoDbStreams } from './streams.ts';
import { createTable, deleteTable, describeTable, updateTable } from './table-actions.ts';
import { seedTable, type TableDefinition } from './table-definition.ts';
import { Tables } from './tables.ts';
import { describeTimeToLive, removeExpired, updateTimeToLive } from './time-to-live.ts';
import { transactGet, transactWrite } from './transactions.ts';
import { Turns } from './turns.ts';
import type { World } from './world.ts';

/** How often expired items are looked for, in sandbox time: an advance of the clock by more brings the next look at once. */
const sweepEveryMs = 60_000;
/** How often, in real time, the sandbox clock is looked at for that. */
const clockCheckMs = 250;

type Handler = (params: Params) => Params | Promise<Params>;

export class DynamoDb implements Service {
  readonly name = 'dynamodb';
  readonly streams: DynamoDbStreams;
  readonly #world: World;
  readonly #tokens: RequestTokens;
  readonly #turns = new Turns();
  readonly #handlers: ReadonlyMap<string, Handler>;
  #clockCheck: NodeJS.Timeout | undefined;

  constructor(options: { readonly clock: SandboxClock }) {
    this.streams = new DynamoDbStreams(options);
    this.#world = { engine: new Engine(), tables: new Tables(), streams: this.streams, clock: options.clock };
    this.#tokens = new RequestTokens(options.clock);
    this.#handlers = this.#actions();
  }

  get actions(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  async start(): Promise<void> {
    const { clock } = this.#world;
    let last = clock.now();
    this.#clockCheck = setInterval(() => {
      if (clock.now() - last < sweepEveryMs) return;
      last = clock.now();
      void this.sweepTtl();
    }, clockCheckMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#clockCheck);
    await this.#turns.run(() => this.#world.engine.close());
  }

  async handle(request: ApiRequest): Promise<Params> {
    const handler = this.#handlers.get(request.action);
    if (handler === undefined) {
      throw new AwsError('UnknownOperationException', `DynamoDB of the sandbox has no operation ${request.action}`);
    }
    return this.#inTurn(async () => handler(request.params));
  }

  /** Removes every item whose TTL is past by the sandbox clock and returns how many there were. */
  async sweepTtl(): Promise<number> {
    return this.#inTurn(async () => {
      let removed = 0;
      for (const table of this.#world.tables.all()) removed += await removeExpired(this.#world, table);
      return removed;
    });
  }

  /** Creates a table with its settings and items; the items make no stream records. */
  async seedTable(definition: TableDefinition): Promise<void> {
    await this.#inTurn(() => seedTable(this.#world, definition));
  }

  /** All items of a table in DynamoDB's JSON, ordered by their keys. */
  async dumpTable(name: string): Promise<readonly Item[]> {
    return this.#inTurn(async () => {
      const { schema } = this.#world.tables.get(name);
      const items: Item[] = [];
      for await (const item of this.#world.engine.items(name)) items.push(item);
      const keyText = (item: Item) => JSON.stringify(schema.KeySchema.map(({ AttributeName }) => item[AttributeName]));
      return items.toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof AwsError) throw error;
        throw new AwsError('InternalServerError', error instanceof Error ? error.message : String(error), 500);
      }
    });
  }

  #actions(): ReadonlyMap<string, Handler> {
    const world = this.#world;
    const handlers = new Map<string, Handler>([
      ['CreateTable', (params) => createTable(world, params)],
      ['UpdateTable', (params) => updateTable(world, params)],
      ['DeleteTable', (params) => deleteTable(world, params)],
      ['DescribeTable', (params) => describeTable(world, params)],
      ['UpdateTimeToLive', (params) => updateTimeToLive(world, params)],
      ['DescribeTimeToLive', (params) => describeTimeToLive(world, params)],
      ['UpdateContinuousBackups', (params) => updateContinuousBackups(world, params)],
      ['DescribeContinuousBackups', (params) => describeContinuousBackups(world, params)],
      ['BatchWriteItem', (params) => batchWrite(world, params)],
      ['TransactWriteItems', (params) => transactWrite(world, this.#tokens, params)],
      ['TransactGetItems', (params) => transactGet(world, params)],
    ]);
    for (const action of ['PutItem', 'UpdateItem', 'DeleteItem']) {
      handlers.set(action, (params) => writeItem(world, action, params));
    }
    const unchanged = ['GetItem', 'BatchGetItem', 'Query', 'Scan', 'ListTables'];
    for (const action of [...unchanged, 'TagResource', 'UntagResource', 'ListTagsOfResource']) {
      handlers.set(action, (params) => world.engine.call(action, params));
    }
    return handlers;
  }
}
