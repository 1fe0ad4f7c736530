/** Lambda of the sync queue: one sync for all messages of a batch, unless a later sync has seen their world already. */
import { readFunctionConfig } from '../../shared/config/function-config.ts';
import { isCovered } from '../../shared/reconcile/covered.ts';
import { resync, type SyncResult } from '../../shared/reconcile/resync.ts';
import { readState } from '../../shared/reconcile/sync-state.ts';
import { inTurn } from '../../shared/reconcile/turn.ts';
import { lambda, type Run } from '../middleware.ts';
import { type SyncRoom, syncRooms, timesOf } from '../sync-deps.ts';
import { tell } from '../sync-metrics.ts';
import { readMessages } from './messages.ts';

const config = readFunctionConfig(process.env);
const rooms = syncRooms(config);

/** 90 s a pass at 5 writes a second: enough for 20,000 routes. After that the schedule goes on. */
const mostPasses = 50;

interface Batch {
  /** Failed tables never fail messages: they are state, and the schedule comes back to them. */
  readonly batchItemFailures: readonly [];
}

export const handler = lambda<Batch>({ network: config.network, rejects: rooms.rejects, work });

async function work(event: unknown, run: Run): Promise<Batch> {
  const done: Batch = { batchItemFailures: [] };
  const messages = readMessages(event);
  for (const { reason, body } of messages.unreadable) await run.reject('sync queue', reason, body);
  const { newestSentAt } = messages;
  if (newestSentAt === null) return done;
  const { deadline, end } = timesOf(run.context.getRemainingTimeInMillis(), Date.now());
  const room = rooms.room(AbortSignal.timeout(end - Date.now()));
  const { deps, lock } = room;
  const syncId = messages.continued?.syncId ?? rooms.newSyncId();
  const pass = messages.continued?.pass ?? 1;
  const turn = await inTurn({ holder: run.context.awsRequestId, end }, lock, deps.clock, async () => {
    const state = readState(await deps.state.read(), deps.clock.now());
    if (isCovered(state, newestSentAt)) return null;
    return resync({ syncId, dryRun: false, force: null, forced: [], only: null, isManual: false, deadline }, deps);
  });
  if (turn === null) {
    run.warn('another sync has the turn', { syncId, pass });
    await goOn(room, run, syncId, pass);
    return done;
  }
  const { result, unreleased } = turn;
  if (unreleased !== null) run.error('the turn was not given back: it ends by itself', { syncId }, unreleased);
  if (result === null) {
    run.info('covered by a later sync', { syncId });
    return done;
  }
  tell(result.report, run);
  if (result.unsaved !== null) run.error('the state of the sync was not kept', { syncId }, result.unsaved);
  await publish(room, run, result);
  if (result.report.more) await goOn(room, run, syncId, pass);
  else if (messages.earliestChange !== null && result.report.confirmedAt !== null && isRouted(result)) {
    run.metric('EventToRouteMs', result.report.confirmedAt - messages.earliestChange, 'Milliseconds');
  }
  return done;
}

function isRouted({ report }: SyncResult): boolean {
  return report.status === 'ok' && report.changes.length > 0;
}

async function publish({ publisher }: SyncRoom, run: Run, { events }: SyncResult): Promise<void> {
  const lost = await publisher.put(events);
  for (const index of lost) run.error('an event was not accepted', { detailType: events[index]?.detailType ?? '' });
}

/** The rule of continuations brings the event back into the queue, behind what waits there. */
async function goOn({ publisher }: SyncRoom, run: Run, syncId: string, pass: number): Promise<void> {
  if (pass >= mostPasses) {
    run.warn('no further pass: the schedule goes on', { syncId, pass });
    return;
  }
  const detail = { network: config.network, syncId, pass: pass + 1 };
  const lost = await publisher.put([{ detailType: 'Sync Continuation', detail }]);
  if (lost.length > 0) run.error('the continuation was not accepted: the schedule goes on', { syncId, pass });
}
