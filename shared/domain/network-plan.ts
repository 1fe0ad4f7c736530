/**
 * The plan for all route tables of a network, from one picture of the world. Pure: the functions, the CLI and the
 * tests all ask this one.
 */

import { type Chosen, chooseRoutes, countedRows, countsAgainstQuota, inRoomOrder } from './capacity.ts';
import type { Family } from './cidr.ts';
import { contains } from './cidr.ts';
import {
  type DesiredRoute,
  desiredRoutes,
  type Knowledge,
  routeKind,
  type SortedLeases,
  sortLeases,
} from './desired-routes.ts';
import { type Guarded, guard } from './guard.ts';
import { isForwarding, type Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import { isOurs } from './ownership.ts';
import { type Conflict, type DeleteStep, plan, type Step } from './plan.ts';
import { rangesOf, retiredRangesOf, retiredTablesOf } from './retired.ts';
import type { Route, RouteTable } from './route.ts';

export interface PlanInput {
  readonly config: NetworkConfig;
  /** Every lease item, tombstones too. */
  readonly leases: readonly Lease[];
  /** As read; tables that the configuration does not list are ignored. */
  readonly tables: readonly RouteTable[];
  /** Instances that EC2 says are terminated. */
  readonly terminated?: ReadonlySet<string>;
  /** Subnets whose lease could not be read, in canonical text: their rows are left alone. */
  readonly unknown?: ReadonlySet<string>;
  /** Limits of single tables below the configuration's, learned from `RouteLimitExceeded`. */
  readonly limits?: ReadonlyMap<string, number>;
  readonly force: string | null;
  /** The leases are older than what was last seen: hold every weak deletion. */
  readonly distrust?: boolean;
}

/** A foreign row strictly inside a lease's subnet: it takes part of the lease's traffic. */
interface Shadow {
  readonly lease: Lease;
  readonly row: Route;
}

export interface TablePlan {
  readonly id: string;
  readonly status: 'ok' | 'missing';
  /** In the order in which they are carried out. */
  readonly steps: readonly Step<Route>[];
  readonly kept: readonly Route[];
  /** How many rows are not ours. */
  readonly foreign: number;
  readonly conflicts: readonly Conflict<Route>[];
  readonly shadows: readonly Shadow[];
  /** Deletions that the guard holds back. */
  readonly held: readonly DeleteStep<Route>[];
  /** Wanted routes that the table has no room for. */
  readonly overflow: readonly DesiredRoute[];
  /** Rows that the table can take after the plan; of two families the fuller one. */
  readonly room: number;
}

export interface NetworkPlan {
  readonly tables: readonly TablePlan[];
  readonly sorted: SortedLeases;
  readonly guard: {
    readonly refused: boolean;
    readonly digest: string | null;
    readonly tables: ReadonlyMap<string, { readonly held: number; readonly ours: number }>;
  };
}

/** Ids of the tables that are planned, in the order of the configuration; retired ones last. */
export function plannedTableIds(config: NetworkConfig): string[] {
  const listed = config.backend.type === 'aws-vpc' ? config.backend.routeTableIds : [];
  return [...new Set([...listed, ...retiredTablesOf(config)])];
}

export function planNetwork(input: PlanInput): NetworkPlan {
  const { config } = input;
  const sorted = sortLeases(input.leases, config);
  const listed = new Set(config.backend.type === 'aws-vpc' ? config.backend.routeTableIds : []);
  const wanted = desiredRoutes(sorted.live, config);
  const byId = new Map(input.tables.map((table) => [table.id, table]));
  const rejected = subnetsOfRejected(sorted);
  const views = plannedTableIds(config).map((id): TableView => {
    const ranges = rangesOf(id, config, new Set([...(input.unknown ?? []), ...rejected]));
    const knowledge: Knowledge = { ranges, bySubnet: sorted.bySubnet, terminated: input.terminated ?? new Set() };
    return { id, table: byId.get(id) ?? null, wanted: listed.has(id) ? wanted : [], knowledge, config };
  });

  // Garbage does not depend on room, so it is guarded first; what is held back then takes its room.
  const guardPass = (chosen: Chosen | null) =>
    guard(
      views.flatMap((view) => guardInput(view, chosen)),
      {
        describe: (row: Route) => routeKind(noKnowledge).describe(row),
        force: input.force,
        distrust: input.distrust ?? false,
      },
    );
  const chosen = choose(views, guardPass(null).tables, input);
  const verdict = guardPass(chosen);
  const guardedById = new Map(verdict.tables.map((table) => [table.id, table]));
  return {
    tables: views.map((view) => tablePlan(view, guardedById.get(view.id), chosen, limitOf(view.id, input))),
    sorted,
    guard: {
      refused: verdict.refused,
      digest: verdict.digest,
      tables: new Map(
        verdict.tables
          .filter((table) => table.held.length > 0)
          .map((table) => [table.id, { held: table.held.length, ours: table.ours }]),
      ),
    },
  };
}

/**
 * Rows of a lease that is refused for what it says are left alone: a node with a wrong IPv6 subnet shall not lose its IPv4
 * route over it. Repairing the lease repairs the rows.
 */
function subnetsOfRejected(sorted: SortedLeases): string[] {
  const rejected = [...sorted.refused].filter(
    ([lease, { status }]) => status === 'rejected' && isForwarding(lease.state),
  );
  const subnets = rejected.flatMap(([{ subnet, ipv6Subnet }]) => [
    subnet.text,
    ...(ipv6Subnet === null ? [] : [ipv6Subnet.text]),
  ]);
  // A subnet that a good lease holds is that lease's.
  return subnets.filter((subnet) => !sorted.bySubnet.has(subnet));
}

interface TableView {
  readonly id: string;
  readonly table: RouteTable | null;
  readonly wanted: readonly DesiredRoute[];
  readonly knowledge: Knowledge;
  readonly config: NetworkConfig;
}

const noKnowledge: Knowledge = { ranges: [], bySubnet: new Map(), terminated: new Set() };

function guardInput(view: TableView, chosen: Chosen | null) {
  if (view.table === null) return [];
  const desired = view.wanted.filter((route) => isChosen(chosen, view.id, route));
  const result = plan<Route>(desired, view.table.routes, retiringKind(view));
  return [
    { id: view.id, plan: result, ours: view.table.routes.filter((row) => isOurs(row, view.knowledge.ranges)).length },
  ];
}

/** Rows that the configuration itself gives up are released by it: that is as strong as evidence gets. */
function retiringKind({ id, knowledge, config, wanted }: TableView) {
  const kind = routeKind(knowledge);
  const retired = retiredRangesOf(config, id);
  const tableIsRetired = wanted.length === 0 && retiredTablesOf(config).includes(id);
  return {
    ...kind,
    whyDelete: (row: Route) =>
      tableIsRetired || isOurs(row, retired)
        ? ({ reason: 'released', evidence: 'strong' } as const)
        : kind.whyDelete(row),
  };
}

function isChosen(chosen: Chosen | null, tableId: string, route: DesiredRoute): boolean {
  if (chosen === null) return true;
  return chosen.get(tableId)?.has(route.destinationText) ?? false;
}

function limitOf(tableId: string, input: PlanInput): number {
  return Math.min(input.config.routeLimit, input.limits?.get(tableId) ?? Number.POSITIVE_INFINITY);
}

function choose(views: readonly TableView[], guarded: readonly Guarded<Route>[], input: PlanInput): Chosen {
  const { config } = input;
  const hasFallback = config.backend.type === 'aws-vpc' && config.backend.fallback !== null;
  const heldBy = new Map(guarded.map((table) => [table.id, table.held]));
  const chosen = new Map<string, Set<string>>(views.map((view) => [view.id, new Set()]));
  for (const { family } of config.families) {
    const wantedOf = (view: TableView) => view.wanted.filter((route) => route.destination.family === family);
    const rooms = views.flatMap((view) => {
      if (view.table === null || view.wanted.length === 0) return [];
      const held = (heldBy.get(view.id) ?? []).filter((step) => step.row.destination?.family === family).length;
      return [
        {
          ...roomOf(view, view.table, family),
          capacity: limitOf(view.id, input) - foreignCount(view, view.table, family) - held,
        },
      ];
    });
    const wanted = wantedOf(views.find((view) => view.wanted.length > 0) ?? { ...emptyView, config });
    if (rooms.length === 0) continue;
    for (const [id, destinations] of chooseRoutes(wanted, rooms, hasFallback)) {
      for (const destination of destinations) chosen.get(id)?.add(destination);
    }
  }
  return chosen;
}

const emptyView: Omit<TableView, 'config'> = { id: '', table: null, wanted: [], knowledge: noKnowledge };

function roomOf(view: TableView, table: RouteTable, family: Family) {
  const present = new Set<string>();
  const taken = new Set<string>();
  const wanted = new Set(view.wanted.map((route) => route.destinationText));
  for (const row of table.routes) {
    if (row.destination?.family !== family || !wanted.has(row.destination.text)) continue;
    (isOurs(row, view.knowledge.ranges) ? present : taken).add(row.destination.text);
  }
  // A propagated route may repeat a destination that ours has: it takes nothing from us.
  for (const destination of present) taken.delete(destination);
  return { id: view.id, present, taken };
}

function foreignCount(view: TableView, table: RouteTable, family: Family): number {
  return table.routes.filter((row) => countsAgainstQuota(row, family) && !isOurs(row, view.knowledge.ranges)).length;
}

function tablePlan(view: TableView, guarded: Guarded<Route> | undefined, chosen: Chosen, limit: number): TablePlan {
  const { id, table } = view;
  if (table === null || guarded === undefined) {
    return {
      id,
      status: 'missing',
      steps: [],
      kept: [],
      foreign: 0,
      conflicts: [],
      shadows: [],
      held: [],
      overflow: [],
      room: 0,
    };
  }
  const free = {
    ipv4: limit - countedRows(table, 'ipv4'),
    ipv6: limit - countedRows(table, 'ipv6'),
  };
  const steps = inRoomOrder(guarded.plan.steps, free);
  const foreignRows = table.routes.filter((row) => !isOurs(row, view.knowledge.ranges));
  const conflicted = new Set(guarded.plan.conflicts.map(({ wanted }) => wanted.destinationText));
  const unroutable = view.wanted.filter((route) => !isChosen(chosen, id, route));
  return {
    id,
    status: 'ok',
    steps,
    kept: guarded.plan.kept,
    foreign: foreignRows.length,
    conflicts: [...guarded.plan.conflicts, ...unchosenConflicts(unroutable, foreignRows, conflicted)],
    shadows: shadowsOf(view.wanted, foreignRows),
    held: guarded.held,
    overflow: unroutable.filter((route) => !foreignRows.some((row) => row.destination?.text === route.destinationText)),
    room: Math.min(...view.config.families.map(({ family }) => free[family] + growth(steps, family))),
  };
}

/** A destination that a foreign row holds is never chosen in a table of its own choice, and is a conflict all the same. */
function unchosenConflicts(
  routes: readonly DesiredRoute[],
  foreignRows: readonly Route[],
  known: ReadonlySet<string>,
): Conflict<Route>[] {
  return routes.flatMap((wanted) => {
    const holder = foreignRows.find((row) => row.destination?.text === wanted.destinationText);
    return holder === undefined || known.has(wanted.destinationText) ? [] : [{ wanted, holder }];
  });
}

function shadowsOf(wanted: readonly DesiredRoute[], foreignRows: readonly Route[]): Shadow[] {
  return wanted.flatMap(({ destination, lease }) =>
    foreignRows
      .filter(
        (row) =>
          row.destination !== null &&
          row.destination.length > destination.length &&
          contains(destination, row.destination),
      )
      .map((row) => ({ lease, row })),
  );
}

/** How much room the steps make: deletes less creates. */
function growth(steps: readonly Step<Route>[], family: Family): number {
  const of = (action: 'create' | 'delete') =>
    steps.filter((step) => step.action === action && step.row.destination?.family === family).length;
  return of('delete') - of('create');
}
