/**
 * One step on one VPC route table, to its end: what EC2's refusals mean for a single row.
 *
 * EC2 has no client token for routes, so that safety to repeat comes from meanings: a create of what is there is looked at
 * again, a replace of what is not there is a create, a delete of what is not there is done.
 */
import type { Cidr } from '../domain/cidr.ts';
import { isOurs, type ManagedRange } from '../domain/ownership.ts';
import type { Step } from '../domain/plan.ts';
import { nextHopId, type Route } from '../domain/route.ts';
import type { Pace } from './pace.ts';
import { type Clock, Refusal, type RouteTables, type WriteAction } from './ports.ts';
import type { Failure } from './report.ts';

export type Outcome =
  /** `performed` tells what was done in the end: a create may have become a replace. */
  | { readonly status: 'done'; readonly performed: 'create' | 'replace' | 'delete' | null }
  | { readonly status: 'left' }
  | { readonly status: 'failed'; readonly failure: Failure; readonly meaning: Refusal['meaning'] | 'conflict' };

export interface WriteDeps {
  readonly tables: RouteTables;
  readonly pace: Pace;
  readonly clock: Clock;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** Epoch milliseconds after which no call is begun. */
  readonly deadline: number;
}

/** A server error or a time-out is tried again this often within a step; the outcome of the first try is unknown. */
const attempts = 4;
const firstDelayMs = 250;
/** The row that stands in the way of a create is looked for this often, so far apart. */
const holderReadings = 3;
const holderDelayMs = 1_000;

export async function writeRoute(
  tableId: string,
  step: Step<Route>,
  ranges: readonly ManagedRange[],
  deps: WriteDeps,
): Promise<Outcome> {
  const row = step.action === 'replace' ? step.to : step.row;
  const { destination } = row;
  if (destination === null) throw new TypeError(`a step of ours names ${row.destinationText}, which is no CIDR block`);
  if (step.action === 'delete') return remove(tableId, destination, deps);
  const eniId = nextHopId(row.nextHop);
  const put = step.action === 'create' ? create : replace;
  return put(tableId, destination, eniId, ranges, deps);
}

async function create(
  tableId: string,
  destination: Cidr,
  eniId: string,
  ranges: readonly ManagedRange[],
  deps: WriteDeps,
): Promise<Outcome> {
  const outcome = await call('CreateRoute', deps, () => deps.tables.create(tableId, destination, eniId));
  if (outcome === 'done') return { status: 'done', performed: 'create' };
  if (outcome === 'left') return { status: 'left' };
  if (outcome.meaning !== 'exists') return failed(outcome, destination);
  // Somebody was faster, or our own first try worked and its answer was lost.
  const holder = await rowOf(tableId, destination, ranges, deps);
  if (holder instanceof Refusal) return failed(holder, destination);
  // A row that cannot be seen may be somebody else's: to replace it unseen could steal it.
  if (holder === null) return failed(outcome, destination);
  if (holder.nextHop.kind === 'eni' && holder.nextHop.id === eniId && holder.state === 'active') {
    return { status: 'done', performed: 'create' };
  }
  if (!isOurs(holder, ranges)) return foreign(tableId, holder, outcome);
  return replaceOnly(tableId, destination, eniId, deps);
}

async function replace(
  tableId: string,
  destination: Cidr,
  eniId: string,
  ranges: readonly ManagedRange[],
  deps: WriteDeps,
): Promise<Outcome> {
  const outcome = await replaceOnly(tableId, destination, eniId, deps);
  if (outcome.status !== 'failed' || outcome.meaning !== 'no-route') return outcome;
  return create(tableId, destination, eniId, ranges, deps);
}

async function replaceOnly(tableId: string, destination: Cidr, eniId: string, deps: WriteDeps): Promise<Outcome> {
  const outcome = await call('ReplaceRoute', deps, () => deps.tables.replace(tableId, destination, eniId));
  if (outcome === 'done') return { status: 'done', performed: 'replace' };
  return outcome === 'left' ? { status: 'left' } : failed(outcome, destination);
}

async function remove(tableId: string, destination: Cidr, deps: WriteDeps): Promise<Outcome> {
  const outcome = await call('DeleteRoute', deps, () => deps.tables.remove(tableId, destination));
  if (outcome === 'done') return { status: 'done', performed: 'delete' };
  if (outcome === 'left') return { status: 'left' };
  if (outcome.meaning === 'no-route') return { status: 'done', performed: null };
  return failed(outcome, destination);
}

/**
 * The table's row for a destination as it is now, for the one call that said `exists`. A reading can be older than that
 * answer, so that a row which it does not show is looked for again. Of several rows ours: EC2 prefers it to a propagated one.
 */
async function rowOf(
  tableId: string,
  destination: Cidr,
  ranges: readonly ManagedRange[],
  { tables, clock, deadline }: WriteDeps,
): Promise<Route | null | Refusal> {
  for (let reading = 1; ; reading += 1) {
    try {
      const [table] = await tables.readSome([tableId]);
      const rows = table?.routes.filter((route) => route.destination?.text === destination.text) ?? [];
      const row = rows.find((candidate) => isOurs(candidate, ranges)) ?? rows[0];
      if (row !== undefined) return row;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
    if (reading === holderReadings || clock.now() + holderDelayMs > deadline) return null;
    await clock.sleep(holderDelayMs);
  }
}

/** One call with its retries. `left`: there was no time or pace for it. */
async function call(
  action: WriteAction,
  deps: WriteDeps,
  write: () => Promise<void>,
): Promise<'done' | 'left' | Refusal> {
  for (let attempt = 1; ; attempt += 1) {
    if (!(await deps.pace.ready(action, deps.deadline))) return 'left';
    try {
      await write();
      return 'done';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.meaning === 'throttled') deps.pace.throttled(action);
      if (!isWorthRepeating(error) || attempt === attempts) return error;
      const delay = firstDelayMs * 2 ** (attempt - 1) * (0.5 + deps.random());
      if (deps.clock.now() + delay > deps.deadline) return error;
      await deps.clock.sleep(delay);
    }
  }
}

function isWorthRepeating({ meaning }: Refusal): boolean {
  return meaning === 'throttled' || meaning === 'transient' || meaning === 'no-table';
}

function failed(refusal: Refusal, destination: Cidr): Outcome {
  const { action, code, message, meaning } = refusal;
  const permanent = meaning === 'denied' || meaning === 'invalid' || meaning === 'no-table';
  return { status: 'failed', meaning, failure: { action, destination: destination.text, code, message, permanent } };
}

function foreign(tableId: string, holder: Route, refusal: Refusal): Outcome {
  const message = `${holder.destinationText} in ${tableId} is somebody else's, by way of ${nextHopId(holder.nextHop)}`;
  const failure = {
    action: refusal.action,
    destination: holder.destinationText,
    code: refusal.code,
    message,
    permanent: true,
  };
  return { status: 'failed', meaning: 'conflict', failure };
}
