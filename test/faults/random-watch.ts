/** Looks at every write of the product at EC2 while it happens, and at the leases that it stood on. */
import type { ApiRequest } from '../../infra/sandbox/service.ts';
import { tableIds } from './landscape.ts';
import type { Stage } from './stage.ts';

/** Subnet to ENI, for the leases that forward. */
export type Wanted = ReadonlyMap<string, string>;

const forwarding = ['active', 'leaving', 'stale'];
const routeWrites = ['CreateRoute', 'ReplaceRoute', 'DeleteRoute'];

export class Watch {
  /** What was seen that must not be; in order. */
  readonly violations: string[] = [];
  writes = 0;
  readonly #stage: Stage;
  /** By table and destination: other people's rows inside the range, beside those that every table has. */
  readonly #foreignKeys = new Set<string>();
  #foreign = '';
  /** The forwarding leases after each write to the leases table, the latest last. */
  #history: Wanted[] = [new Map()];
  /** Which of them a sync read last. */
  #readAt = 0;
  /** The product's writes are looked at, the world's own are not. */
  #isProduct = true;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#wrapEc2();
    this.#wrapDynamo();
    this.expectForeign();
  }

  get wanted(): Wanted {
    return this.#history.at(-1) ?? new Map();
  }

  /** From a new world on. */
  reset(): void {
    this.violations.length = 0;
    this.#foreignKeys.clear();
    this.#history = [new Map()];
    this.#readAt = 0;
    this.expectForeign();
  }

  /** Other people's rows as they stand now are how they must stay. `key`: of a new one. */
  expectForeign(key?: string): void {
    if (key !== undefined) this.#foreignKeys.add(key);
    this.#foreign = this.#foreignText();
  }

  isForeign(tableId: string, destination: string | undefined): boolean {
    return this.#foreignKeys.has(`${tableId} ${destination}`);
  }

  /** A call of the world's own: the same way into EC2, and nobody looks. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#isProduct = false;
    try {
      return await work();
    } finally {
      this.#isProduct = true;
    }
  }

  /** Rows of leases by our form, such as `10.244.1.0/24 eni-001 active`. */
  ours(tableId: string): string[] {
    return this.#stage.ours(tableId).filter((row) => !this.isForeign(tableId, row.split(' ')[0]));
  }

  #wrapEc2(): void {
    const { ec2 } = this.#stage.sandbox;
    const handle = ec2.handle.bind(ec2);
    ec2.handle = async (request) => {
      const isWrite = routeWrites.includes(request.action) && this.#isProduct;
      if (!isWrite) return handle(request);
      this.#before(request);
      const answer = await handle(request);
      this.writes += 1;
      const foreign = this.#foreignText();
      if (foreign !== this.#foreign) {
        this.violations.push(`${textOf(request)} changed other people's rows`);
        this.#foreign = foreign;
      }
      return answer;
    };
  }

  #before(request: ApiRequest): void {
    const { RouteTableId, DestinationCidrBlock } = request.params;
    const destination = String(DestinationCidrBlock);
    if (!tableIds.some((id) => id === RouteTableId))
      this.violations.push(`${textOf(request)}: the table is not listed`);
    if (!/^10\.244\.\d+\.0\/24$/.test(destination)) this.violations.push(`${textOf(request)}: is not ours`);
    // A lease that came after the sync's last look at the leases cannot be known to it.
    const known = this.#history.slice(this.#readAt);
    if (request.action === 'DeleteRoute' && known.every((wanted) => wanted.has(destination)))
      this.violations.push(`${textOf(request)}: is wanted`);
  }

  #wrapDynamo(): void {
    const { dynamodb } = this.#stage.sandbox;
    const { leases } = this.#stage.names;
    const handle = dynamodb.handle.bind(dynamodb);
    dynamodb.handle = async (request) => {
      const concerned = JSON.stringify(request.params).includes(`"${leases}"`);
      const isRead = /^(Query|GetItem|BatchGetItem|TransactGetItems)$/.test(request.action);
      if (concerned && isRead && /SyncRoutes|Resync/.test(request.caller.accessKeyId))
        this.#readAt = this.#history.length - 1;
      const answer = await handle(request);
      if (concerned && !isRead) this.#history.push(await this.#leases());
      return answer;
    };
  }

  async #leases(): Promise<Wanted> {
    const items = await this.#stage.sandbox.dynamodb.dumpTable(this.#stage.names.leases);
    const text = (value: object | undefined) => (value !== undefined && 'S' in value ? String(value.S) : '');
    return new Map(
      items
        .filter((item) => text(item['sk']).startsWith('lease#') && forwarding.includes(text(item['state'])))
        .map((item) => [text(item['subnet']), text(item['eniId'])]),
    );
  }

  #foreignText(): string {
    const base = new Set(this.#stage.foreignDestinations);
    const rows = [...this.#stage.tables()].map(([id, routes]) =>
      routes.filter(({ DestinationCidrBlock: to }) => to === undefined || base.has(to) || this.isForeign(id, to)),
    );
    return JSON.stringify(rows);
  }
}

function textOf({ action, params }: ApiRequest): string {
  return `${action} ${params['RouteTableId']} ${params['DestinationCidrBlock']}`;
}
