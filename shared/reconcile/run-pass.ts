/** One pass over all tables with one plan: announce, write, confirm, and keep what the next pass must know. */
import { desiredRoutes } from '../domain/desired-routes.ts';
import type { NetworkMap } from '../domain/map.ts';
import type { RouteTable } from '../domain/route.ts';
import { withoutRouted } from '../domain/routed-in.ts';
import type { TablePlan } from '../domain/table-plan.ts';
import { type Confirmed, confirm } from './confirm.ts';
import { paceOf } from './pace.ts';
import type { PassInput } from './pass-input.ts';
import { PassMap } from './pass-map.ts';
import type { StepOutcome } from './reconcile.ts';
import { afterReading, lacksRoutes, routedBefore, underWay, type Wanted } from './routed.ts';
import { freshTable, type SyncState, type TableState } from './sync-state.ts';
import { deletedKey, restingRow, type Sorted, sortTable, stateAfter, stillDead } from './table-pass.ts';
import type { MapHold, TableRun } from './table-run.ts';
import { writeTables } from './write-tables.ts';

export interface Pass {
  readonly runs: readonly TableRun[];
  readonly state: SyncState;
  readonly map: NetworkMap | null;
  readonly held: MapHold;
  /** Leases moved before a deletion: the plan must be made anew. */
  readonly moved: boolean;
  /** Epoch milliseconds at which what was written had been read back. */
  readonly confirmedAt: number;
}

export async function runPass(input: PassInput): Promise<Pass> {
  const { request, deps, picture, plan, before } = input;
  const { clock } = deps;
  const { backend, mode } = picture.config;
  const wanted: Wanted = {
    listedTableIds: backend.type === 'aws-vpc' ? backend.routeTableIds : [],
    routes: desiredRoutes(plan.sorted.live, picture.config),
  };
  const hasFallback = backend.type !== 'aws-vpc' || backend.fallback !== null;
  const map = new PassMap(input, wanted.listedTableIds);
  const sorted = new Map(plan.tables.map((table) => [table.id, sortTable(table, input)]));

  const announcing = mode === 'enforce' ? announcedKeys(sorted) : new Set<string>();
  const announced = Object.fromEntries([...announcing].map((key) => [key, before.announced[key] ?? clock.now()]));
  const known = routedBefore(picture.out === 'damaged' ? null : picture.out, before.routed);
  const seen = afterReading(known, wanted, picture.tables, picture.tablesReadAt);
  const routed = withoutRouted(seen, announcing, clock.now());
  // Nodes with paths of their own learn of leases before the routes are there. For plain VPC routes one publishing, after
  // the confirmation, is enough: to wait for the map's interval before the first write would only delay it. Routes that an
  // older map promises and that are not there must not be promised again while the second reading is awaited.
  if (hasFallback && !(input.isPutBack && lacksRoutes(seen))) await map.publish({ ...picture, routed });

  const pace = paceOf(before.buckets, clock);
  const { outcomes, moved } = await writeTables(input, sorted, pace);
  const confirmed = await confirm({
    outcomes,
    tables: deps.tables,
    clock,
    deadline: request.deadline,
    picture,
    routed: withoutRouted(routed, deletedKeys(outcomes), clock.now()),
    wanted,
    twice: hasFallback,
  });
  const runs = plan.tables.map((table) =>
    tableRun(table, sorted.get(table.id), outcomes.get(table.id), confirmed, input),
  );
  for (const { plan: table, state } of runs) if (state.filled) map.filled.add(table.id);
  const confirmedAt = clock.now();
  await map.publish(confirmed);

  const isTrusted = !plan.guard.refused && map.held.leases === 0;
  const state: SyncState = {
    ...before,
    vpcId: picture.vpcId ?? before.vpcId,
    counter: isTrusted ? picture.leases.counter : Math.max(before.counter, picture.leases.counter),
    distrusted: input.distrust && !isTrusted,
    complete: isComplete(runs, moved) ? { readAt: picture.readAt, counter: picture.leases.counter } : before.complete,
    buckets: pace.buckets(),
    tables: Object.fromEntries(runs.map((run) => [run.plan.id, run.state])),
    routed: underWay(confirmed.routed),
    announced,
    publishedAt: map.publishedAt,
    mapPlace: map.map === null ? null : { epoch: map.map.epoch, revision: map.map.revision },
    writtenAt: clock.now(),
  };
  return { runs, state, map: map.map, held: map.held, moved, confirmedAt };
}

/** `outcomes`: undefined for a table that was not to be written in this pass. */
function tableRun(
  plan: TablePlan,
  sorted: Sorted | undefined,
  outcomes: readonly StepOutcome[] | undefined,
  confirmed: Confirmed,
  { deps, picture, before }: PassInput,
): TableRun {
  const now = deps.clock.now();
  const read = picture.tables.find(({ id }) => id === plan.id);
  const tableBefore = before.tables[plan.id] ?? freshTable;
  const isTried = outcomes !== undefined && read !== undefined;
  const next = isTried ? stateAfter({ before: tableBefore, table: read, outcomes, now }) : tableBefore;
  const pending = confirmed.pending.get(plan.id) ?? new Set<string>();
  const run = { plan, outcomes: outcomes ?? [], sorted: sorted ?? null, pending, isRead: read !== undefined };
  const readAgain = confirmed.tables.find(({ id }) => id === plan.id);
  const dead = readAgain === undefined ? {} : deadRows(run.outcomes, readAgain, next, now);
  const filled = tableBefore.filled || (isTried && isAsDesired(run));
  return { ...run, state: { ...next, filled, rows: { ...next.rows, ...dead } } };
}

/** Every step was tried, is done and can be seen. */
function isAsDesired({ plan, outcomes, pending }: Omit<TableRun, 'state'>): boolean {
  const done = outcomes.filter(({ outcome }) => outcome.status === 'done').length;
  return done === plan.steps.length && pending.size === 0;
}

/** A sync that succeeded in every table covers the messages that were sent before it began to read leases. */
function isComplete(runs: readonly TableRun[], moved: boolean): boolean {
  return (
    !moved &&
    runs.every((run) => {
      const { retryAt, rows } = run.state;
      return run.isRead && retryAt === 0 && Object.keys(rows).length === 0 && isAsDesired(run);
    })
  );
}

/** Live leases' routes that will go: the map says so first. */
function announcedKeys(sorted: ReadonlyMap<string, Sorted>): Set<string> {
  return new Set([...sorted].flatMap(([id, { toAnnounce }]) => toAnnounce.map((step) => deletedKey(id, step))));
}

/** What we deleted is out of the map at once, without waiting for readings. */
function deletedKeys(outcomes: ReadonlyMap<string, readonly StepOutcome[]>): Set<string> {
  return new Set(
    [...outcomes].flatMap(([id, list]) =>
      list.flatMap(({ step, outcome }) =>
        step.action === 'delete' && outcome.status === 'done' ? [deletedKey(id, step)] : [],
      ),
    ),
  );
}

function deadRows(
  outcomes: readonly StepOutcome[],
  table: RouteTable,
  state: TableState,
  now: number,
): TableState['rows'] {
  return Object.fromEntries(
    stillDead(outcomes, table).map(({ destination, eniId }) => {
      const message = `${eniId} is not in use: the route stays a blackhole until its instance runs`;
      const failure = { action: 'ReplaceRoute', destination, code: 'StillBlackhole', message, permanent: false };
      return [destination, restingRow(state.rows[destination], eniId, failure, now)];
    }),
  );
}
