/** One pass over all tables with one plan: announce, write, confirm, and keep what the next pass must know. */
import { desiredRoutes } from '../domain/desired-routes.ts';
import type { NetworkMap } from '../domain/map.ts';
import { mapContent } from '../domain/map-content.ts';
import type { NetworkPlan } from '../domain/network-plan.ts';
import { rangesOf } from '../domain/retired.ts';
import type { RouteTable } from '../domain/route.ts';
import { type RoutedState, withoutRouted } from '../domain/routed-in.ts';
import type { TablePlan } from '../domain/table-plan.ts';
import { confirm } from './confirm.ts';
import type { Picture } from './look.ts';
import { paceOf } from './pace.ts';
import { type Published, publishMap } from './publish-map.ts';
import { reconcile, type StepOutcome } from './reconcile.ts';
import { afterReading, routedBefore, underWay, type Wanted } from './routed.ts';
import type { SyncDeps, SyncRequest } from './sync-request.ts';
import { freshTable, type SyncState, type TableState } from './sync-state.ts';
import { deletedKey, restingRow, type Sorted, sortSteps, stateAfter, stillDead } from './table-pass.ts';
import type { MapHold, TableRun } from './table-run.ts';

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

export interface PassInput {
  readonly request: SyncRequest;
  readonly deps: SyncDeps;
  readonly picture: Picture;
  readonly plan: NetworkPlan;
  readonly before: SyncState;
  /** The leases are older than what was last seen. */
  readonly distrust: boolean;
}

export async function runPass(input: PassInput): Promise<Pass> {
  const { request, deps, picture, plan, before, distrust } = input;
  const { out } = picture;
  const { clock } = deps;
  const isEnforced = picture.config.mode === 'enforce';
  const backend = picture.config.backend;
  const wanted: Wanted = {
    listedTableIds: backend.type === 'aws-vpc' ? backend.routeTableIds : [],
    routes: desiredRoutes(plan.sorted.live, picture.config),
  };
  let published: Published = { map: out, publishedAt: before.publishedAt };
  let held: MapHold = { leases: 0, digest: null };
  const filled = new Set(Object.entries(before.tables).flatMap(([id, table]) => (table.filled ? [id] : [])));
  const publish = async (routed: RoutedState, tables: readonly RouteTable[], isWholeVpc: boolean) => {
    published = await publishMap(
      (previous) => {
        const result = mapContent({
          network: deps.network,
          config: picture.rawConfig,
          previous,
          leases: picture.leases.leases,
          refused: new Set(plan.sorted.refused.keys()),
          unreadable: new Set(picture.leases.unreadable.map(({ sortKey }) => sortKey)),
          listedTableIds: wanted.listedTableIds,
          tables: wanted.listedTableIds.length === 0 ? [] : tables,
          isWholeVpc,
          filled,
          routed,
          distrust,
          force: request.force,
          isForced: request.force !== null && request.force === plan.guard.digest,
        });
        held = { leases: result.held.length, digest: result.digest };
        return result.content;
      },
      published,
      deps.maps,
      clock,
    );
  };

  // What the last reading says about confirmations, less what this pass announces.
  const sorted = new Map(
    plan.tables.map((table) => [table.id, sortTable(table, request, picture, before, clock.now())]),
  );
  const announcing = new Set(
    isEnforced ? [...sorted].flatMap(([id, { toAnnounce }]) => toAnnounce.map((step) => deletedKey(id, step))) : [],
  );
  let routed = afterReading(
    routedBefore(out === 'damaged' ? null : out, before.routed),
    wanted,
    picture.tables,
    picture.tablesReadAt,
  );
  routed = withoutRouted(routed, announcing, clock.now());
  // Nodes with paths of their own learn of leases before the routes are there. For plain VPC routes one publishing, after
  // the confirmation, is enough: to wait for the map's interval before the first write would only delay it.
  const hasFallback = backend.type !== 'aws-vpc' || backend.fallback !== null;
  if (hasFallback) await publish(routed, picture.tables, picture.isWholeVpc);
  const announced = Object.fromEntries([...announcing].map((key) => [key, before.announced[key] ?? clock.now()]));

  const pace = paceOf(before.buckets, clock);
  let moved = false;
  let asked: Promise<boolean> | null = null;
  const mayDelete = () => {
    asked ??= deps.leases.readCounter().then((counter) => {
      moved = counter !== picture.leases.counter;
      return !moved;
    });
    return asked;
  };
  const outcomes = new Map<string, readonly StepOutcome[]>();
  if (isEnforced) {
    await Promise.all(
      plan.tables.map(async ({ id }) => {
        const steps = mayWrite(id, request, before, clock.now()) ? (sorted.get(id)?.tried ?? []) : [];
        const writeDeps = {
          tables: deps.tables,
          pace,
          clock,
          random: deps.random,
          deadline: request.deadline,
          mayDelete,
        };
        outcomes.set(id, await reconcile(id, steps, rangesOf(id, picture.config), writeDeps));
      }),
    );
  }

  const confirmed = await confirm({
    outcomes,
    tables: deps.tables,
    clock,
    deadline: request.deadline,
    picture,
    routed: withoutRouted(routed, deletedLiveKeys(outcomes), clock.now()),
    wanted,
    twice: hasFallback,
  });
  const after = clock.now();
  const runs: TableRun[] = plan.tables.map((table) => {
    const run = outcomes.get(table.id) ?? [];
    const read = picture.tables.find(({ id }) => id === table.id);
    const tableBefore = before.tables[table.id] ?? freshTable;
    const tried = isEnforced && mayWrite(table.id, request, before, after) && read !== undefined;
    const next = tried ? stateAfter({ before: tableBefore, table: read, outcomes: run, now: after }) : tableBefore;
    const pending = confirmed.pending.get(table.id) ?? new Set<string>();
    const dead = deadRows(
      run,
      confirmed.tables.find(({ id }) => id === table.id),
      next,
      after,
    );
    const isComplete =
      tried && run.every(({ outcome }) => outcome.status === 'done') && (sorted.get(table.id)?.left.length ?? 0) === 0;
    if (isComplete && pending.size === 0) filled.add(table.id);
    return {
      plan: table,
      state: { ...next, filled: filled.has(table.id), rows: { ...next.rows, ...dead } },
      outcomes: run,
      sorted: sorted.get(table.id) ?? null,
      pending,
      isRead: read !== undefined,
    };
  });
  const confirmedAt = clock.now();
  await publish(confirmed.routed, confirmed.tables, confirmed.isWholeVpc);
  const isTrusted = !plan.guard.refused && held.leases === 0;
  const state: SyncState = {
    ...before,
    vpcId: picture.vpcId ?? before.vpcId,
    counter: isTrusted ? picture.leases.counter : Math.max(before.counter, picture.leases.counter),
    buckets: pace.buckets(),
    tables: Object.fromEntries(runs.map((run) => [run.plan.id, run.state])),
    routed: underWay(confirmed.routed),
    announced,
    publishedAt: published.publishedAt,
  };
  return {
    runs,
    state: completed(state, runs, picture, moved),
    map: published.map === 'damaged' ? null : published.map,
    held,
    moved,
    confirmedAt,
  };
}

/** A sync that succeeded in every table covers the messages that were sent before it began to read leases. */
function completed(state: SyncState, runs: readonly TableRun[], picture: Picture, moved: boolean): SyncState {
  const isComplete =
    !moved &&
    runs.every(
      ({ isRead, outcomes, pending, state: { retryAt, rows } }) =>
        isRead &&
        retryAt === 0 &&
        pending.size === 0 &&
        Object.keys(rows).length === 0 &&
        outcomes.every(({ outcome }) => outcome.status === 'done'),
    );
  return isComplete ? { ...state, complete: { readAt: picture.readAt, counter: picture.leases.counter } } : state;
}

function mayWrite(id: string, request: SyncRequest, state: SyncState, now: number): boolean {
  if (request.only !== null && !request.only.includes(id)) return false;
  return request.isManual || (state.tables[id]?.retryAt ?? 0) <= now;
}

function sortTable(plan: TablePlan, request: SyncRequest, picture: Picture, state: SyncState, now: number): Sorted {
  const table = picture.tables.find(({ id }) => id === plan.id);
  if (table === undefined) return { tried: [], left: [], toAnnounce: [], resting: [] };
  const tableState: TableState = state.tables[plan.id] ?? freshTable;
  const learned =
    tableState.limit !== null && tableState.limit.until > now ? tableState.limit.rows : Number.POSITIVE_INFINITY;
  const limit = Math.min(picture.config.routeLimit, learned);
  return sortSteps({
    plan,
    table,
    state: tableState,
    limit,
    announced: state.announced,
    now,
    isManual: request.isManual,
  });
}

/** Routes of live leases that we deleted: they are out of the map at once, without waiting for readings. */
function deletedLiveKeys(outcomes: ReadonlyMap<string, readonly StepOutcome[]>): Set<string> {
  return new Set(
    [...outcomes].flatMap(([id, list]) =>
      list.flatMap(({ step, outcome }) =>
        step.action === 'delete' && outcome.status === 'done' ? [deletedKey(id, step)] : [],
      ),
    ),
  );
}

function deadRows(
  run: readonly StepOutcome[],
  table: RouteTable | undefined,
  state: TableState,
  now: number,
): TableState['rows'] {
  if (table === undefined) return {};
  return Object.fromEntries(
    stillDead(run, table).map(({ destination, eniId }) => {
      const message = `${eniId} is not in use: the route stays a blackhole until its instance runs`;
      const failure = { action: 'ReplaceRoute', destination, code: 'StillBlackhole', message, permanent: false };
      return [destination, restingRow(state.rows[destination], eniId, failure, now)];
    }),
  );
}
