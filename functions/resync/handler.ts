/** Lambda for people: a sync now, to its report. Invoked synchronously by the CLI, in passes of at most 90 s. */
import { readFunctionConfig } from '../../shared/config/function-config.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import { type Match, matchesOf } from '../../shared/domain/matching-row.ts';
import { type PlanJson, planJson } from '../../shared/domain/render-plan.ts';
import type { RouteTable } from '../../shared/domain/route.ts';
import type { Leases } from '../../shared/reconcile/ports.ts';
import type { SyncReport } from '../../shared/reconcile/report.ts';
import { resync, type SyncResult } from '../../shared/reconcile/resync.ts';
import { inTurn } from '../../shared/reconcile/turn.ts';
import { lambda, type Run } from '../middleware.ts';
import { syncRooms, timesOf } from '../sync-deps.ts';
import { tell } from '../sync-metrics.ts';
import { parseRequest, type ResyncRequest } from './request.ts';

const config = readFunctionConfig(process.env);
const rooms = syncRooms(config);

/** The report, with the plan it began with as `leaseway plan --json` prints it; `matches` where `address` asked. */
type Answer =
  | (SyncReport & {
      readonly ok: true;
      readonly plan: PlanJson | null;
      readonly matches?: Readonly<Record<string, Match>>;
    })
  | { readonly ok: false; readonly error: { readonly field: string; readonly message: string } };

export const handler = lambda<Answer>({ network: config.network, rejects: rooms.rejects, work });

async function work(event: unknown, run: Run): Promise<Answer> {
  let request: ResyncRequest;
  try {
    request = parseRequest(event);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { ok: false, error: { field: error.field, message: error.message } };
  }
  const unknown = request.tables?.find((id) => !config.routeTableIds.includes(id));
  if (unknown !== undefined)
    return refusal('tables', `${unknown} is not among the stack's route tables (${config.routeTableIds.join(', ')})`);
  const { deadline, end } = timesOf(run.context.getRemainingTimeInMillis(), Date.now());
  const { deps, lock, publisher } = rooms.room(AbortSignal.timeout(end - Date.now()));
  const { dryRun, force, forced, tables, config: candidate, address } = request;
  const syncDeps = candidate === null ? deps : { ...deps, leases: withConfig(deps.leases, candidate) };
  const sync = () =>
    resync({ syncId: rooms.newSyncId(), dryRun, force, forced, only: tables, isManual: true, deadline }, syncDeps);
  // A dry run writes nothing, the lock included.
  const turn = dryRun
    ? { result: await sync(), unreleased: null }
    : await inTurn({ holder: run.context.awsRequestId, end }, lock, deps.clock, sync);
  if (turn === null) return refusal('lock', 'another sync was at work for all of 20 s: try again in a moment');
  const { result, unreleased } = turn;
  if (unreleased !== null) run.error('the turn was not given back: it ends by itself', {}, unreleased);
  tell(result.report, run);
  if (result.unsaved !== null) run.error('the state of the sync was not kept', {}, result.unsaved);
  const lost = await publisher.put(result.events);
  for (const index of lost)
    run.error('an event was not accepted', { detailType: result.events[index]?.detailType ?? '' });
  const { planned } = result;
  const asked = address !== null && planned !== null;
  return {
    ok: true,
    ...result.report,
    plan: planOf(result, tables),
    ...(asked && { matches: matchesOf(address, listedOf(planned), planned.picture.config) }),
  };
}

/** The tables that are planned, as they were read: the VPC has others, which are nobody's business here. */
function listedOf({ plan, picture }: NonNullable<SyncResult['planned']>): RouteTable[] {
  return picture.tables.filter(({ id }) => plan.tables.some((table) => table.id === id));
}

/** With `tables` the plan shows what would be written: those. */
function planOf({ planned }: SyncResult, tables: readonly string[] | null): PlanJson | null {
  if (planned === null) return null;
  const { plan, picture } = planned;
  const spelt = picture.leases.leases.map((lease) => ({ spelling: lease.subnet.text, lease }));
  const whole = planJson(plan, spelt, picture.config);
  if (tables === null) return whole;
  const shown = Object.entries(whole.tables).filter(([id]) => tables.includes(id));
  return { ...whole, tables: Object.fromEntries(shown) };
}

function refusal(field: string, message: string): Answer {
  return { ok: false, error: { field, message } };
}

/** The leases as they are, under a configuration that is not applied. */
function withConfig(leases: Leases, text: string): Leases {
  return {
    readCounter: () => leases.readCounter(),
    readAll: async () => ({ ...(await leases.readAll()), config: { text, revision: 0, appliedAt: 0 } }),
  };
}
