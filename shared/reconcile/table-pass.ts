/** Which of a table's steps are tried in this pass, and what its outcomes mean for the next one. */
import { countedRows, type Limits, limitsOf } from '../domain/capacity.ts';
import type { Family } from '../domain/cidr.ts';
import { desiredRoutes } from '../domain/desired-routes.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import type { NetworkPlan } from '../domain/network-plan.ts';
import { type DeleteStep, type Step, stepRow } from '../domain/plan.ts';
import { isBlackhole, nextHopId, type Route, type RouteTable } from '../domain/route.ts';
import { routedKey } from '../domain/routed-in.ts';
import type { TablePlan } from '../domain/table-plan.ts';
import { retryAtAfter } from './backoff.ts';
import { denialsAfter, denialsNow } from './denied-actions.ts';
import type { PassInput } from './pass-input.ts';
import type { StepOutcome } from './reconcile.ts';
import { actionOf, type Failure } from './report.ts';
import type { SyncRequest } from './sync-request.ts';
import { freshTable, learnedLimits, type RowState, type SyncState, type TableState } from './sync-state.ts';

/** Three polls of an agent: by then the nodes send no packet over a route that a map has announced to go. */
const announcedMs = 15_000;

export interface Sorted {
  /** In order. */
  readonly tried: readonly Step<Route>[];
  /** Not tried: no room before something else goes, or a map must be out first. */
  readonly left: readonly Step<Route>[];
  /** Live leases' routes that will go, tried in this pass or not: until they are gone the map must say so. */
  readonly toAnnounce: readonly DeleteStep<Route>[];
  /** Not tried, because IAM refused their action a while ago. */
  readonly barred: readonly Step<Route>[];
  /** Not tried, because they failed before: their failures are told again. */
  readonly resting: readonly Failure[];
}

interface SortInput {
  readonly plan: TablePlan;
  readonly table: RouteTable;
  readonly state: TableState;
  readonly limits: Limits;
  readonly announced: Readonly<Record<string, number>>;
  /** Destinations that nodes may be sending to over this table, in canonical text. */
  readonly live: ReadonlySet<string>;
  readonly now: number;
  /** A person asked: what failed before is tried again. */
  readonly isManual: boolean;
}

function sortSteps({ plan, table, state, limits, announced, live, now, isManual }: SortInput): Sorted {
  const tried: Step<Route>[] = [];
  const left: Step<Route>[] = [];
  const toAnnounce: DeleteStep<Route>[] = [];
  const barred: Step<Route>[] = [];
  const resting: Failure[] = [];
  const denials = isManual ? {} : denialsNow(state, now);
  const free: Record<Family, number> = {
    ipv4: limits.ipv4 - countedRows(table, 'ipv4'),
    ipv6: limits.ipv6 - countedRows(table, 'ipv6'),
  };
  for (const step of plan.steps) {
    const row = stepRow(step);
    const family = row.destination?.family ?? 'ipv4';
    const rest = restOf(state.rows[row.destinationText], step, now);
    const isBarred = actionOf[step.action] in denials;
    const key = row.destination?.text ?? row.destinationText;
    const isFollowed = step.action === 'delete' && live.has(key);
    if (isFollowed) toAnnounce.push(step);
    if (rest !== null && !isManual) {
      resting.push(rest);
    } else if (isFollowed && !isKnown(announced[deletedKey(plan.id, step)], now)) {
      left.push(step);
    } else if (isBarred) {
      barred.push(step);
    } else if (step.action === 'create' && free[family] <= 0) {
      left.push(step);
    } else {
      if (step.action === 'create') free[family] -= 1;
      if (step.action === 'delete') free[family] += 1;
      tried.push(step);
    }
  }
  return { tried, left, barred, toAnnounce, resting };
}

/** Whether nodes have had time to see the map that says so. */
function isKnown(announcedAt: number | undefined, now: number): boolean {
  return announcedAt !== undefined && now - announcedAt >= announcedMs;
}

function restOf(row: RowState | undefined, step: Step<Route>, now: number): Failure | null {
  if (row === undefined || row.retryAt <= now) return null;
  return row.eniId === wantedEni(step) ? row.failure : null;
}

function wantedEni(step: Step<Route>): string | null {
  return step.action === 'delete' ? null : nextHopId(stepRow(step).nextHop);
}

export function deletedKey(tableId: string, step: DeleteStep<Route>): string {
  return routedKey(tableId, step.row.destinationText, nextHopId(step.row.nextHop));
}

/** Failures that are the table's and not a row's. */
function isTableFailure({ outcome }: StepOutcome): boolean {
  if (outcome.status !== 'failed') return false;
  const { meaning } = outcome;
  return meaning === 'no-table' || meaning === 'throttled' || meaning === 'transient';
}

const dayMs = 86_400_000;

export interface AfterInput {
  readonly before: TableState;
  readonly table: RouteTable;
  readonly outcomes: readonly StepOutcome[];
  readonly now: number;
}

/** The table's state after its steps. Progress keeps the table in the run; a pass without any rests it. */
export function stateAfter({ before, table, outcomes, now }: AfterInput): TableState {
  const failure = outcomes.find(isTableFailure);
  const progress = outcomes.some(({ outcome }) => outcome.status === 'done');
  const failures = failure === undefined ? 0 : before.failures + 1;
  const isPermanent = failure?.outcome.status === 'failed' && failure.outcome.failure.permanent;
  const rests = failure !== undefined && (isPermanent || !progress);
  return {
    ...before,
    failures,
    retryAt: rests ? retryAtAfter(failures, now) : 0,
    lastFailure: failure?.outcome.status === 'failed' ? failure.outcome.failure : null,
    denied: denialsAfter(before.denied, outcomes, now),
    limits: limitsAfter(before, table, outcomes, now),
    rows: rowsAfter(before.rows, outcomes, now),
  };
}

/** The table was full with the rows of that family that it had then. */
function limitsAfter(
  before: TableState,
  table: RouteTable,
  outcomes: readonly StepOutcome[],
  now: number,
): TableState['limits'] {
  const kept = Object.fromEntries(Object.entries(before.limits).filter(([, { until }]) => until > now));
  const full = outcomes.findIndex(({ outcome }) => outcome.status === 'failed' && outcome.meaning === 'full');
  const step = outcomes[full]?.step;
  if (step === undefined) return kept;
  const family = stepRow(step).destination?.family ?? 'ipv4';
  const growth = outcomes.slice(0, full).reduce((sum, { outcome, step: done }) => {
    if (outcome.status !== 'done' || stepRow(done).destination?.family !== family) return sum;
    return sum + (outcome.performed === 'create' ? 1 : outcome.performed === 'delete' ? -1 : 0);
  }, 0);
  return { ...kept, [family]: { rows: countedRows(table, family) + growth, until: now + dayMs } };
}

function rowsAfter(before: TableState['rows'], outcomes: readonly StepOutcome[], now: number): TableState['rows'] {
  const rows: Record<string, RowState> = {};
  const touched = new Map(outcomes.map((each) => [stepRow(each.step).destinationText, each]));
  for (const [destination, row] of Object.entries(before)) {
    // A record is kept as long as it can rest a step; a row that was put right drops out by not being renewed.
    if (!touched.has(destination) && row.retryAt + dayMs > now) rows[destination] = row;
  }
  for (const [destination, each] of touched) {
    const { outcome, step } = each;
    if (outcome.status === 'left') {
      const row = before[destination];
      if (row !== undefined) rows[destination] = row;
      continue;
    }
    if (outcome.status !== 'failed' || isTableFailure(each)) continue;
    if (outcome.meaning === 'full' || outcome.meaning === 'denied') continue;
    rows[destination] = restingRow(before[destination], wantedEni(step), outcome.failure, now);
  }
  return rows;
}

export function restingRow(
  before: RowState | undefined,
  eniId: string | null,
  failure: Failure,
  now: number,
): RowState {
  const failures = before?.eniId === eniId ? before.failures + 1 : 1;
  return { eniId, failures, retryAt: retryAtAfter(failures, now), failure };
}

/**
 * A replace of a blackhole by the ENI that it names already changes nothing when that ENI is not in use (a stopped
 * instance, an interface that is attached nowhere): EC2 makes the route active by itself once it is.
 */
export function stillDead(
  outcomes: readonly StepOutcome[],
  tableAfter: RouteTable,
): { destination: string; eniId: string }[] {
  return outcomes.flatMap(({ step, outcome }) => {
    if (outcome.status !== 'done' || step.action === 'delete') return [];
    const eniId = nextHopId(stepRow(step).nextHop);
    const destination = stepRow(step).destinationText;
    const row = tableAfter.routes.find((route) => route.destination?.text === destination);
    const isDead = row !== undefined && isBlackhole(row) && nextHopId(row.nextHop) === eniId;
    return isDead ? [{ destination, eniId }] : [];
  });
}

/** Whether this pass writes the table at all: a failing one rests, and a person may name some. */
export function mayWrite(id: string, request: SyncRequest, state: SyncState, now: number): boolean {
  if (request.only !== null && !request.only.includes(id)) return false;
  return request.isManual || (state.tables[id]?.retryAt ?? 0) <= now;
}

export function sortTable(plan: TablePlan, { request, deps, picture, before, plan: wholePlan }: PassInput): Sorted {
  const now = deps.clock.now();
  const table = picture.tables.find(({ id }) => id === plan.id);
  if (table === undefined) return { tried: [], left: [], barred: [], toAnnounce: [], resting: [] };
  const tableState: TableState = before.tables[plan.id] ?? freshTable;
  const limits = limitsOf(table, picture.config.routeLimit, learnedLimits(tableState, now));
  return sortSteps({
    plan,
    table,
    state: tableState,
    limits,
    announced: before.announced,
    live: plan.steps.some(({ action }) => action === 'delete') ? followed(wholePlan, picture.config) : new Set(),
    now,
    isManual: request.isManual,
  });
}

/**
 * Whether the lease left the chosen set or its table was given up: nodes that have paths of their own leave a live lease's
 * route when a map tells them to. Plain VPC routes have no map to wait for.
 */
function followed({ sorted }: NetworkPlan, config: NetworkConfig): ReadonlySet<string> {
  const { backend } = config;
  const hasPaths = backend.type !== 'aws-vpc' || backend.fallback !== null;
  return new Set(hasPaths ? desiredRoutes(sorted.live, config).map(({ destinationText }) => destinationText) : []);
}
