/** Stories of route tables as text: what happens, the tables before, the plan as an operator sees it, the tables after. */
import { planText } from '../../shared/domain/render-plan-text.ts';
import { planWarnings } from '../../shared/domain/render-plan-warnings.ts';
import { applied, destinationOf, lease, local, planOfFile, row, worldFile } from '../shared/domain/world-file.ts';

type Json = Record<string, unknown>;

export interface StoryOptions {
  readonly leaseway?: Json;
  readonly fallback?: Json;
  /** Rows that every table has from the start. */
  readonly rows?: readonly Json[];
}

const tableIds = ['rtb-a', 'rtb-b'];

export class Story {
  readonly #lines: string[];
  readonly #options: StoryOptions;
  /** By subnet. */
  readonly #leases = new Map<string, Json>();
  readonly #states = new Map<string, string>();
  readonly #tables: Map<string, readonly Json[]>;
  #force: string | false = false;

  constructor(title: string, about: string, options: StoryOptions = {}) {
    this.#lines = [`# ${title}`, '', about, ''];
    this.#options = options;
    this.#tables = new Map(tableIds.map((id) => [id, [local, ...(options.rows ?? [])]]));
  }

  /** The keeper writes the lease of node `n`, as the members say. */
  lease(n: number, members: Json = {}): this {
    const item = lease(n, { ...this.#leases.get(`10.244.${n}.0/24`), ...members });
    this.#leases.set(String(item['subnet']), item);
    return this;
  }

  /** The leases table loses items, as by a wrong restore. */
  forget(...numbers: readonly number[]): this {
    for (const n of numbers) this.#leases.delete(`10.244.${n}.0/24`);
    return this;
  }

  /** EC2 says what became of an instance; routes by way of one that does not run turn into blackholes. */
  instance(id: string, state: string): this {
    this.#states.set(id, state);
    const enis = new Set(
      [...this.#leases.values()].filter((each) => each['instanceId'] === id).map((each) => each['eniId']),
    );
    const State = state === 'running' ? 'active' : 'blackhole';
    if (state === 'stopping' || state === 'shutting-down') return this;
    for (const tableId of tableIds)
      this.#change(tableId, (rows) =>
        rows.map((each) => (enis.has(each['NetworkInterfaceId']) ? { ...each, State } : each)),
      );
    return this;
  }

  /** Somebody writes a row, in place of the one of its destination. */
  put(tableId: string, route: Json): this {
    return this.take(tableId, destinationOf(route)).#change(tableId, (rows) => [...rows, route]);
  }

  /** Somebody takes a row out. */
  take(tableId: string, destination: string): this {
    return this.#change(tableId, (rows) => rows.filter((each) => destinationOf(each) !== destination));
  }

  force(digest: string): this {
    this.#force = digest;
    return this;
  }

  /** Tells what has happened, plans, and carries the plan out. Returns the digest of what the guard holds back. */
  chapter(title: string): string | null {
    const { leaseway, fallback } = this.#options;
    const file = worldFile({
      tables: Object.fromEntries(this.#tables),
      leases: [...this.#leases.values()],
      states: Object.fromEntries(this.#states),
      ...(leaseway === undefined ? {} : { leaseway }),
      ...(fallback === undefined ? {} : { backend: { Type: 'aws-vpc', RouteTableID: tableIds, Fallback: fallback } }),
      options: { force: this.#force },
    });
    const plan = planOfFile(file);
    const warnings = planWarnings(plan);
    this.#lines.push(`## ${title}`, '', 'before', ...this.#rowLines(), '');
    this.#lines.push('plan', ...indented(planText(plan)));
    if (warnings.length > 0) this.#lines.push('', 'warnings', ...warnings.map((line) => `  ${line}`));
    const after = applied(file, plan)['routeTables'] as { RouteTables: Json[] };
    for (const entry of after.RouteTables) this.#tables.set(String(entry['RouteTableId']), entry['Routes'] as Json[]);
    this.#lines.push('', 'after', ...this.#rowLines(), '');
    return plan.guard.refused ? plan.guard.digest : null;
  }

  get text(): string {
    return `${this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()}\n`;
  }

  #change(tableId: string, change: (rows: readonly Json[]) => readonly Json[]): this {
    this.#tables.set(tableId, change(this.#tables.get(tableId) ?? []));
    return this;
  }

  /** Tables that hold the same rows are shown as one. */
  #rowLines(): string[] {
    const texts = new Map<string, string[]>();
    for (const [id, rows] of this.#tables) {
      const text = rows.map(rowLine).sort(byNumbers).join('\n');
      texts.set(text, [...(texts.get(text) ?? []), id]);
    }
    return [...texts].flatMap(([text, ids]) => [`  ${ids.join(' and ')}`, ...indented(text, '    ')]);
  }
}

function rowLine(route: Json): string {
  const hops = ['NetworkInterfaceId', 'NatGatewayId', 'GatewayId', 'VpcPeeringConnectionId'];
  const hop = hops.map((key) => route[key]).find((id) => id !== undefined) ?? '-';
  const mark = route['State'] === 'blackhole' ? '  blackhole' : '';
  return `${destinationOf(route).padEnd(18)} ${hop}${mark}`;
}

function byNumbers(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function indented(text: string, by = '  '): string[] {
  return text.split('\n').map((line) => (line === '' ? '' : `${by}${line}`));
}

export const nat = row('0.0.0.0/0', null, { NatGatewayId: 'nat-1' });
