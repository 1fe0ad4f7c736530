/**
 * Looks again after writing. EC2 is eventually consistent: what was written and cannot be seen yet is pending, neither
 * failed nor missing, and is looked for up to three times, a second apart.
 */
import { stepRow } from '../domain/plan.ts';
import { nextHopId, type RouteTable } from '../domain/route.ts';
import { confirmMs, type RoutedState } from '../domain/routed-in.ts';
import type { Picture } from './look.ts';
import { type Clock, Refusal, type RouteTables } from './ports.ts';
import type { StepOutcome } from './reconcile.ts';
import { afterReading, awaitsReading, type Wanted } from './routed.ts';

export interface ConfirmInput {
  readonly outcomes: ReadonlyMap<string, readonly StepOutcome[]>;
  readonly tables: RouteTables;
  readonly clock: Clock;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly picture: Picture;
  readonly routed: RoutedState;
  readonly wanted: Wanted;
  /** With a fallback nodes wait for the confirmation, so that its second reading is made in the same pass. */
  readonly twice: boolean;
}

export interface Confirmed {
  /** The newest reading. */
  readonly tables: readonly RouteTable[];
  readonly isWholeVpc: boolean;
  readonly routed: RoutedState;
  /** By table: destinations that were written and cannot be seen yet. */
  readonly pending: ReadonlyMap<string, ReadonlySet<string>>;
}

const reads = 3;
const delayMs = 1000;

export async function confirm(input: ConfirmInput): Promise<Confirmed> {
  const { outcomes, clock, deadline, picture, wanted } = input;
  const written = [...outcomes.values()].some((list) => list.some(isWritten));
  let tables = picture.tables;
  let { isWholeVpc } = picture;
  let routed = input.routed;
  let pending = pendingOf(outcomes, tables);
  let lastReadAt = picture.tablesReadAt;
  const readAgain = async (): Promise<boolean> => {
    const at = clock.now();
    const next = await tryRead(input.tables, picture.vpcId);
    if (next === null) return false;
    tables = next;
    isWholeVpc = true;
    lastReadAt = at;
    routed = afterReading(routed, wanted, tables, at);
    pending = pendingOf(outcomes, tables);
    return true;
  };
  if (written) {
    for (let read = 1; read <= reads; read += 1) {
      if (read > 1) await clock.sleep(delayMs);
      if (clock.now() > deadline || (await readAgain())) {
        if (pending.size === 0 || clock.now() > deadline) break;
      }
    }
  }
  if (input.twice && awaitsReading(routed) && wanted.listedTableIds.length > 0) {
    const due = lastReadAt + confirmMs;
    if (due < deadline) {
      await clock.sleep(Math.max(0, due - clock.now()));
      await readAgain();
    }
  }
  return { tables, isWholeVpc, routed, pending };
}

/** Written, or perhaps written: an answer that was lost says nothing. */
function isWritten({ outcome }: StepOutcome): boolean {
  return outcome.status === 'done' || (outcome.status === 'failed' && outcome.meaning === 'transient');
}

/** A reading that fails concludes nothing; what was written stays pending. */
async function tryRead(tables: RouteTables, vpcId: string | null): Promise<readonly RouteTable[] | null> {
  if (vpcId === null) return null;
  try {
    const read = await tables.readVpc(vpcId);
    return read.length === 0 ? null : read;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function pendingOf(
  outcomes: ReadonlyMap<string, readonly StepOutcome[]>,
  tables: readonly RouteTable[],
): Map<string, Set<string>> {
  const pending = new Map<string, Set<string>>();
  for (const [id, list] of outcomes) {
    const table = tables.find((candidate) => candidate.id === id);
    const unseen = list.filter((each) => each.outcome.status === 'done' && !isSeen(each, table));
    if (unseen.length > 0) pending.set(id, new Set(unseen.map(({ step }) => stepRow(step).destinationText)));
  }
  return pending;
}

function isSeen({ step }: StepOutcome, table: RouteTable | undefined): boolean {
  if (table === undefined) return false;
  const row = table.routes.find((route) => route.destination?.text === stepRow(step).destinationText);
  // After our deletion somebody else's row may stand there at once: ours is gone all the same.
  if (step.action === 'delete') return row === undefined || nextHopId(row.nextHop) !== nextHopId(step.row.nextHop);
  return row !== undefined && nextHopId(row.nextHop) === nextHopId(stepRow(step).nextHop);
}
