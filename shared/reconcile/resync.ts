/**
 * One sync of all listed tables: look, plan, guard, publish, apply, confirm, publish, report.
 *
 * The map goes out before the first write, so that peers reach a new lease by the node's own paths at once, and again
 * after the confirmation, so that they move to VPC routes only when these work: make before break in both directions.
 */
import { type NetworkPlan, planNetwork } from '../domain/network-plan.ts';
import { isOlder, look, type Picture, unknownSubnets } from './look.ts';
import type { OutgoingEvent } from './ports.ts';
import { isPutBack, withoutMapMemory } from './put-back.ts';
import type { SyncReport } from './report.ts';
import { runPass } from './run-pass.ts';
import { capacityEvents, changeEvents, failureEvents, refusalEvents } from './sync-events.ts';
import { blindReport, syncReport } from './sync-report.ts';
import type { SyncDeps, SyncRequest } from './sync-request.ts';
import { freshTable, learnedLimits, readState, type SyncState, writtenState } from './sync-state.ts';
import type { TableRun } from './table-run.ts';

export interface SyncResult {
  readonly report: SyncReport;
  /** The plan at the start and what it stood on; null where there was none. */
  readonly planned: { readonly plan: NetworkPlan; readonly picture: Picture } | null;
  /** To be put on the event bus. */
  readonly events: readonly OutgoingEvent[];
  /** Why the state could not be kept, or null. The next sync goes on from an older one; what was done stays done. */
  readonly unsaved: unknown;
}

/** A plan whose leases moved before its first deletion is made anew this often within a sync. */
const replans = 3;

export async function resync(asked: SyncRequest, deps: SyncDeps): Promise<SyncResult> {
  let request = asked;
  const stored = readState(await deps.state.read(), deps.clock.now());
  let state = stored;
  let first: SyncResult | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const picture = await look(deps, state);
    if ('status' in picture) {
      const report = blindReport(request, deps.network, picture, first?.report ?? null);
      const events = request.dryRun ? [] : failureEvents(report, deps.ceiling);
      return {
        report,
        planned: first?.planned ?? null,
        events: [...(first?.events ?? []), ...events],
        unsaved: first?.unsaved ?? null,
      };
    }
    const distrust = state.distrusted || isOlder(picture, state);
    const plan = planOf(picture, state, request, distrust, deps.clock.now());
    if (request.dryRun) {
      const report = syncReport({ request, deps, picture, plan, runs: idleRuns(picture, plan, state), before: state });
      return { report, planned: { plan, picture }, events: [], unsaved: null };
    }
    const putBack = isPutBack(picture.out, state, deps.clock.now());
    const before = putBack ? withoutMapMemory(state) : state;
    const pass = await runPass({ request, deps, picture, plan, before, distrust, isPutBack: putBack });
    const report = syncReport({
      request,
      deps,
      picture,
      plan,
      runs: pass.runs,
      before: stored,
      map: pass.map,
      held: pass.held,
      renewed: putBack,
      earlier: first?.report ?? null,
      moved: pass.moved,
      confirmedAt: pass.confirmedAt,
    });
    const refusal = refusalEvents(report, pass.state);
    const capacity = capacityEvents(deps.network, plan, picture, refusal.state, deps.clock.now());
    state = capacity.state;
    const unsaved = await unsavedBy(deps, state);
    const isLast = !pass.moved || attempt === replans || deps.clock.now() >= request.deadline;
    const told = [
      ...refusal.events,
      ...capacity.events,
      ...(isLast ? changeEvents(report) : []),
      ...(isLast ? failureEvents(report, []) : []),
    ];
    const result: SyncResult = {
      report,
      planned: first?.planned ?? { plan, picture },
      events: [...(first?.events ?? []), ...told],
      unsaved,
    };
    if (isLast) return result;
    first = result;
    // What force let through it lets through in the plan that is made anew, too.
    request = { ...request, forced: report.guard.forced };
  }
}

/** A sync whose state is lost has written its routes all the same: its report and its events must not be lost with it. */
async function unsavedBy({ state: store }: SyncDeps, state: SyncState): Promise<unknown> {
  try {
    await store.write(writtenState(state));
    return null;
  } catch (error) {
    return error;
  }
}

function planOf(picture: Picture, state: SyncState, request: SyncRequest, distrust: boolean, now: number): NetworkPlan {
  return planNetwork({
    config: picture.config,
    leases: picture.leases.leases,
    tables: picture.tables,
    limits: new Map(Object.entries(state.tables).map(([id, table]) => [id, learnedLimits(table, now)])),
    unknown: unknownSubnets(picture),
    force: request.force,
    forced: request.forced,
    distrust,
    isWholeVpc: picture.isWholeVpc,
  });
}

function idleRuns(picture: Picture, plan: NetworkPlan, state: SyncState): TableRun[] {
  return plan.tables.map((table) => ({
    plan: table,
    state: state.tables[table.id] ?? freshTable,
    outcomes: [],
    sorted: null,
    pending: new Set(),
    isRead: picture.tables.some(({ id }) => id === table.id),
  }));
}
