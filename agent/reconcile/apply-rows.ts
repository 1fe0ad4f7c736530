/**
 * From desired rows and the kernel's to none in between: four kinds of table in the project, three of them here, one
 * loop. FDB entry, neighbour, route, so that no packet meets a route before its tunnel; on removal the other way.
 */
import type { Family } from '../../shared/domain/cidr.ts';
import {
  deviceFamily,
  type FdbEntry,
  fdbKind,
  type KernelRoute,
  type Neighbour,
  neighbourKind,
  routeKind,
} from '../../shared/domain/kernel-rows.ts';
import type { NodeRows } from '../../shared/domain/node-rows.ts';
import { type Plan, plan, type RowKind, type Step } from '../../shared/domain/plan.ts';
import type { KernelTable, RowFailure } from '../linux/kernel-table.ts';
import type { KernelTables } from '../linux/kernel-tables.ts';

export interface TablePlans {
  readonly fdb: Plan<FdbEntry>;
  readonly neighbours: Plan<Neighbour>;
  readonly routes: Plan<KernelRoute>;
}

/** Which routes are ours depends on the devices that are there. */
type RowKinds = { readonly routes: Pick<KernelTables['routes'], 'kind'> };

type WantedRows = Pick<NodeRows, 'fdb' | 'neighbours' | 'routes' | 'untouched'>;

export interface ActualRows {
  readonly fdb: readonly FdbEntry[];
  readonly neighbours: readonly Neighbour[];
  readonly routes: readonly KernelRoute[];
}

/** @param known Routes that were read a moment ago and cannot have changed by us since. */
export async function readTables(
  tables: KernelTables,
  known: readonly KernelRoute[] | null = null,
): Promise<ActualRows> {
  const [fdb, neighbours, routes] = await Promise.all([
    tables.fdb.read(),
    tables.neighbours.read(),
    known ?? tables.routes.read(),
  ]);
  return { fdb, neighbours, routes };
}

export function planTables(wanted: WantedRows, everyRow: ActualRows, kinds: RowKinds): TablePlans {
  const actual = withoutFamilies(everyRow, wanted.untouched);
  // What the kernel itself resolves on our device and nobody wants goes by itself.
  const keys = new Set(wanted.neighbours.map(neighbourKind.key));
  const neighbours = actual.neighbours.filter((row) => row.permanent || keys.has(neighbourKind.key(row)));
  return {
    fdb: plan(wanted.fdb, actual.fdb, fdbKind),
    neighbours: plan(wanted.neighbours, neighbours, neighbourKind),
    routes: plan(wanted.routes, actual.routes, kinds.routes.kind),
  };
}

function withoutFamilies({ fdb, neighbours, routes }: ActualRows, untouched: readonly Family[]): ActualRows {
  const isTouched = (family: Family): boolean => !untouched.includes(family);
  return {
    fdb: fdb.filter(({ dev }) => isTouched(deviceFamily(dev))),
    neighbours: neighbours.filter(({ dev }) => isTouched(deviceFamily(dev))),
    routes: routes.filter(({ family }) => isTouched(family)),
  };
}

export interface ApplyResult {
  /** Keys of wanted routes that are not in the kernel as they should be, with the reason. */
  readonly missingRoutes: ReadonlyMap<string, string>;
  /** Every row that failed twice, a sentence each. */
  readonly problems: readonly string[];
  readonly changes: number;
}

export async function applyPlans(plans: TablePlans, tables: KernelTables): Promise<ApplyResult> {
  const problems: string[] = [];
  let changes = 0;
  const apply = async <Row>(
    table: KernelTable<Row>,
    steps: readonly Step<Row>[],
  ): Promise<readonly RowFailure<Row>[]> => {
    if (steps.length === 0) return [];
    const failures = await table.apply(steps);
    changes += steps.length - failures.length;
    problems.push(...failures.map((failure) => describeFailure(table.kind, failure)));
    return failures;
  };

  const fdbFailures = await apply(tables.fdb, puts(plans.fdb));
  const neighbourFailures = await apply(tables.neighbours, puts(plans.neighbours));
  const lackingMacs = keysOf(fdbKind, fdbFailures);
  const lackingNeighbours = keysOf(neighbourKind, neighbourFailures);
  const macs = new Map(
    [...plans.neighbours.kept, ...puts(plans.neighbours).map(rowOf)].map((row) => [neighbourKind.key(row), row.mac]),
  );
  const tunnelProblem = (row: KernelRoute): string | null => {
    const key = `${row.dev} ${row.via}`;
    const lacking = lackingNeighbours.get(key) ?? lackingMacs.get(`${row.dev} ${macs.get(key)}`);
    return lacking === undefined ? null : `its tunnel is not complete (${lacking})`;
  };

  const missing = new Map<string, string>();
  for (const row of [...plans.routes.kept, ...puts(plans.routes).map(rowOf)]) {
    const problem = tunnelProblem(row);
    if (problem !== null) missing.set(routeKind.key(row), problem);
  }
  const routeSteps = routePuts(plans.routes).filter((step) => !missing.has(routeKind.key(rowOf(step))));
  for (const { step, problem } of await apply(tables.routes, routeSteps)) {
    missing.set(routeKind.key(rowOf(step)), problem);
  }
  for (const { wanted, holder } of plans.routes.conflicts) {
    missing.set(routeKind.key(wanted), `a foreign row is in its place: ${routeKind.describe(holder)}`);
  }
  await apply(tables.routes, deletes(plans.routes));
  await apply(tables.neighbours, deletes(plans.neighbours));
  await apply(tables.fdb, deletes(plans.fdb));
  return { missingRoutes: missing, problems, changes };
}

export function puts<Row>({ steps }: Plan<Row>): readonly Step<Row>[] {
  return steps.filter((step) => step.action !== 'delete');
}

/**
 * Narrow before wide: when the network's row stops leading to the VPC router, each peer must have a row of its own by then.
 */
export function routePuts(routes: Plan<KernelRoute>): readonly Step<KernelRoute>[] {
  const length = (step: Step<KernelRoute>): number => Number(rowOf(step).destination.split('/')[1]);
  return puts(routes).toSorted((a, b) => length(b) - length(a));
}

export function deletes<Row>({ steps }: Plan<Row>): readonly Step<Row>[] {
  return steps.filter((step) => step.action === 'delete');
}

function rowOf<Row>(step: Step<Row>): Row {
  return step.action === 'replace' ? step.to : step.row;
}

function keysOf<Row>(kind: RowKind<Row>, failures: readonly RowFailure<Row>[]): ReadonlyMap<string, string> {
  return new Map(failures.map(({ step, problem }) => [kind.key(rowOf(step)), problem]));
}

function describeFailure<Row>(kind: RowKind<Row>, { step, problem }: RowFailure<Row>): string {
  return `${kind.describe(rowOf(step))}: ${step.action} failed: ${problem}`;
}
