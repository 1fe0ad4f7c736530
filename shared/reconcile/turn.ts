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

/**
 * Null: somebody else had the turn for all of 20 seconds. `unreleased`: why the turn could not be given back, or null. It
 * ends by itself then, and what was done in it is no less done: its events must go out.
 */
export async function inTurn<Result>(
  turn: Turn,
  lock: Lock,
  clock: Clock,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly unreleased: unknown } | null> {
  const giveUpAt = clock.now() + patienceMs;
  while (!(await lock.tryTake(turn.holder, clock.now(), turn.end + graceMs))) {
    if (clock.now() + pollMs > giveUpAt) return null;
    await clock.sleep(pollMs);
  }
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await unreleasedBy(turn, lock);
    throw error;
  }
  return { result, unreleased: await unreleasedBy(turn, lock) };
}

async function unreleasedBy({ holder }: Turn, lock: Lock): Promise<unknown> {
  try {
    await lock.release(holder);
    return null;
  } catch (error) {
    return error;
  }
}
