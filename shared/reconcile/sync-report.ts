/** From what a pass did to its report. */

import { cutOffText } from '../domain/cut-off.ts';
import type { NetworkMap } from '../domain/map.ts';
import type { NetworkPlan } from '../domain/network-plan.ts';
import { stepRow } from '../domain/plan.ts';
import { isBlackhole, nextHopId } from '../domain/route.ts';
import { unmatchedForce } from '../domain/unmatched-force.ts';
import type { Blind, Picture } from './look.ts';
import type { StepOutcome } from './reconcile.ts';
import { actionOf, type Failure, type RouteChange, type SyncReport, type TableReport } from './report.ts';
import type { SyncDeps, SyncRequest } from './sync-request.ts';
import type { SyncState } from './sync-state.ts';
import type { MapHold, TableRun } from './table-run.ts';

export interface ReportInput {
  readonly request: SyncRequest;
  readonly deps: Pick<SyncDeps, 'network' | 'clock'>;
  readonly picture: Picture;
  readonly plan: NetworkPlan;
  readonly runs: readonly TableRun[];
  /** Before the sync. */
  readonly before: SyncState;
  readonly map?: NetworkMap | null;
  readonly held?: MapHold;
  readonly renewed?: boolean;
  /** Of the pass whose plan was overtaken; its writes count too. */
  readonly earlier?: SyncReport | null;
  readonly moved?: boolean;
  readonly confirmedAt?: number;
}

export function syncReport(input: ReportInput): SyncReport {
  const { request, deps, picture, plan, runs, before } = input;
  const mode = request.dryRun ? 'dry-run' : picture.config.mode;
  const now = deps.clock.now();
  const tables = runs.map((run) => withEarlier(tableReport(run, mode, now), input.earlier ?? null));
  const writes = tables.some((table) => table.created + table.replaced + table.deleted > 0);
  const unfinished = tables.some((table) => table.left > 0 && table.status === 'left') || input.moved === true;
  const awaited = runs.every(
    ({ outcomes, sorted }) =>
      !outcomes.some(isLeft) && (sorted?.left.every((step) => sorted.toAnnounce.some((one) => one === step)) ?? true),
  );
  return {
    syncId: request.syncId,
    network: deps.network,
    mode,
    status: statusOf(tables, plan, (input.held?.leases ?? 0) > 0, mode),
    message: forceMessage(input),
    tables,
    changes: [...(input.earlier?.changes ?? []), ...runs.flatMap(changesOf)],
    guard: {
      refused: plan.guard.refused || (input.held?.leases ?? 0) > 0,
      digest: plan.guard.digest ?? input.held?.digest ?? null,
      forced: [...new Set([...(input.earlier?.guard.forced ?? []), ...plan.guard.forced])],
      tables: Object.fromEntries(plan.guard.tables),
    },
    map: { revision: input.map?.revision ?? null, held: input.held?.leases ?? 0, renewed: input.renewed ?? false },
    cutOff: [...plan.cutOff].map(([subnetId, tableId]) => cutOffText(subnetId, tableId)).sort(),
    drift: driftOf(plan, before, picture),
    readAt: picture.readAt,
    confirmedAt: input.confirmedAt ?? null,
    more: mode === 'enforce' && unfinished && (writes || input.moved === true) && !awaited,
  };
}

/** Null where the force did what it says, or where there was none. */
function forceMessage({ request, plan, held, earlier }: ReportInput): string | null {
  const { force, forced, dryRun } = request;
  if (force === null) return null;
  const digest = plan.guard.refused ? plan.guard.digest : (held?.digest ?? null);
  if (forced.length > 0 || plan.guard.forced.length > 0 || held?.isForced === true) {
    return digest === null ? null : `--force ${force}: let through what was shown, and not what is held back since`;
  }
  // The pass before, whose plan was overtaken, has let go of what the force was for.
  if (earlier?.message === null) return null;
  // A dry run makes no map, which may hold something under this digest.
  if (dryRun && digest === null) return `--force ${force}: no route is held back under this digest`;
  return unmatchedForce({ option: '--force', force, digest });
}

/** Nothing could be planned: nothing was changed, but for what an overtaken pass had done. */
export function blindReport(
  request: SyncRequest,
  network: string,
  blind: Blind,
  earlier: SyncReport | null,
): SyncReport {
  const nothing: SyncReport = {
    syncId: request.syncId,
    network,
    mode: request.dryRun ? 'dry-run' : 'enforce',
    status: blind.status,
    message: blind.message,
    tables: [],
    changes: [],
    guard: { refused: false, digest: null, forced: [], tables: {} },
    map: { revision: null, held: 0, renewed: false },
    cutOff: [],
    drift: 0,
    readAt: null,
    confirmedAt: null,
    more: false,
  };
  return earlier === null ? nothing : { ...earlier, status: 'partial', message: blind.message };
}

function statusOf(
  tables: readonly TableReport[],
  plan: NetworkPlan,
  mapIsHeld: boolean,
  mode: SyncReport['mode'],
): SyncReport['status'] {
  const bad = (table: TableReport) =>
    table.status === 'failed' || table.status === 'missing' || (mode === 'enforce' && table.status !== 'ok');
  if (tables.some(bad)) return 'partial';
  return plan.guard.refused || mapIsHeld ? 'refused' : 'ok';
}

/** Changes although no lease changed since every table was right: somebody else's doing, or EC2's. */
function driftOf(plan: NetworkPlan, before: SyncState, picture: Picture): number {
  if (before.complete?.counter !== picture.leases.counter) return 0;
  return plan.tables.reduce((sum, table) => sum + table.steps.filter((step) => step.reason !== 'overflow').length, 0);
}

function tableReport(run: TableRun, mode: SyncReport['mode'], now: number): TableReport {
  const { plan, outcomes, state } = run;
  const performed = (action: 'create' | 'replace' | 'delete') =>
    outcomes.filter(({ outcome }) => outcome.status === 'done' && outcome.performed === action).length;
  // What failed before says nothing of what a plan would do.
  const failures = mode === 'enforce' ? failuresOf(run) : missingOf(run);
  const left = mode === 'enforce' ? leftOf(run) : plan.steps.length;
  return {
    id: plan.id,
    status: tableStatus(run, failures, left, mode, now),
    created: performed('create'),
    replaced: performed('replace'),
    deleted: performed('delete'),
    blackholes: plan.steps.filter((step) => isBlackhole(step.action === 'replace' ? step.from : step.row)).length,
    failures,
    pending: run.pending.size,
    left,
    overflow: plan.overflow.map((route) => route.destinationText),
    retryAt: state.retryAt > now ? state.retryAt : restsUntil(run, now),
  };
}

/** When the first row or action that rests is tried again; null: none does that the plan has to do with. */
function restsUntil({ plan, sorted, state }: TableRun, now: number): number | null {
  const rows = sorted === null || sorted.resting.length === 0 ? [] : Object.values(state.rows);
  const actions = plan.steps.flatMap((step) => state.denied[actionOf[step.action]] ?? []);
  const times = [...rows, ...actions].flatMap(({ retryAt }) => (retryAt > now ? [retryAt] : []));
  return times.length === 0 ? null : Math.min(...times);
}

function failuresOf(run: TableRun): Failure[] {
  const { plan, outcomes, sorted, state } = run;
  const now = outcomes.flatMap(({ outcome }) => (outcome.status === 'failed' ? [outcome.failure] : []));
  const dead = Object.values(state.rows).flatMap(({ failure }) => (failure.code === 'StillBlackhole' ? [failure] : []));
  const resting = sorted?.resting ?? [];
  const waiting =
    outcomes.length === 0 && state.lastFailure !== null && plan.steps.length > 0 ? [state.lastFailure] : [];
  const barred = (sorted?.barred ?? []).flatMap((step) => state.denied[actionOf[step.action]]?.failure ?? []);
  const all = [...missingOf(run), ...now, ...resting, ...dead, ...waiting, ...barred];
  return [
    ...new Map(all.map((failure) => [`${failure.action} ${failure.destination} ${failure.code}`, failure])).values(),
  ];
}

function missingOf({ plan, isRead }: TableRun): Failure[] {
  if (isRead) return [];
  const message = `${plan.id} is listed and not in the VPC`;
  return [
    {
      action: 'DescribeRouteTables',
      destination: null,
      code: 'InvalidRouteTableID.NotFound',
      message,
      permanent: true,
    },
  ];
}

function isLeft({ outcome }: StepOutcome): boolean {
  return outcome.status === 'left';
}

function leftOf({ plan, outcomes, sorted }: TableRun): number {
  if (outcomes.length === 0) return plan.steps.length - (sorted?.resting.length ?? 0);
  return outcomes.filter(isLeft).length + (sorted?.left.length ?? 0) + (sorted?.barred.length ?? 0);
}

function tableStatus(
  run: TableRun,
  failures: readonly Failure[],
  left: number,
  mode: SyncReport['mode'],
  now: number,
): TableReport['status'] {
  if (!run.isRead) return 'missing';
  const rests = run.state.retryAt > now || (run.sorted?.barred.length ?? 0) > 0;
  if (mode === 'enforce' && run.outcomes.length === 0 && rests && left > 0) return 'waiting';
  if (failures.length > 0) return 'failed';
  if (left > 0 && mode === 'enforce') return 'left';
  return run.pending.size > 0 ? 'pending' : 'ok';
}

function changesOf({ plan, outcomes }: TableRun): RouteChange[] {
  return outcomes.flatMap(({ step, outcome }): RouteChange[] => {
    if (outcome.status !== 'done' || outcome.performed === null) return [];
    const was = step.action === 'create' ? null : nextHopId((step.action === 'replace' ? step.from : step.row).nextHop);
    return [
      {
        routeTableId: plan.id,
        action: outcome.performed,
        destination: stepRow(step).destinationText,
        nextHop: step.action === 'delete' ? null : nextHopId(stepRow(step).nextHop),
        was,
        reason: step.reason,
      },
    ];
  });
}

function withEarlier(table: TableReport, earlier: SyncReport | null): TableReport {
  const before = earlier?.tables.find(({ id }) => id === table.id);
  if (before === undefined) return table;
  return {
    ...table,
    created: table.created + before.created,
    replaced: table.replaced + before.replaced,
    deleted: table.deleted + before.deleted,
    blackholes: Math.max(table.blackholes, before.blackholes),
  };
}
