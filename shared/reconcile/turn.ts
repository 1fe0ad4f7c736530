/**
 * A sync's turn: only one at a time writes routes and publishes the map.
 *
 * The queue has one message group, so syncs of events never meet; the lock is for the manual ones. It expires by itself
 * some time after its holder must have ended, so no holder outlives it.
 */
import type { Clock, Lock } from './ports.ts';

const patienceMs = 20_000;
const pollMs = 500;
/** Every call of the holder is awaited or aborted before its own end; this is for clocks. */
const graceMs = 30_000;

export interface Turn {
  readonly holder: string;
  /** Epoch milliseconds by which the holder has ended. */
  readonly end: number;
}

/** Null: somebody else had the turn for all of 20 seconds. */
export async function inTurn<Result>(
  turn: Turn,
  lock: Lock,
  clock: Clock,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | null> {
  const giveUpAt = clock.now() + patienceMs;
  while (!(await lock.tryTake(turn.holder, clock.now(), turn.end + graceMs))) {
    if (clock.now() + pollMs > giveUpAt) return null;
    await clock.sleep(pollMs);
  }
  try {
    return { result: await work() };
  } finally {
    await lock.release(turn.holder);
  }
}
