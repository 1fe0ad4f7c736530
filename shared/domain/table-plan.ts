/** The plan of one table as it is shown and carried out. */
import { type Chosen, countedRows, inRoomOrder, type Limits } from './capacity.ts';
import type { Family } from './cidr.ts';
import { contains } from './cidr.ts';
import type { DesiredRoute } from './desired-routes.ts';
import type { Guarded } from './guard.ts';
import type { Lease } from './lease.ts';
import { isOurs } from './ownership.ts';
import type { Conflict, DeleteStep, Step } from './plan.ts';
import type { Route } from './route.ts';
import { isChosen, type TableView } from './table-view.ts';

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
  /** Rows that the table can take after the plan; of two families the fuller one. Negative: it is beyond its limit. */
  readonly room: number;
}

export function tablePlan(
  view: TableView,
  guarded: Guarded<Route> | undefined,
  chosen: Chosen,
  limits: Limits,
): TablePlan {
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
    ipv4: limits.ipv4 - countedRows(table, 'ipv4'),
    ipv6: limits.ipv6 - countedRows(table, 'ipv6'),
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
