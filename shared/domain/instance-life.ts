/** What EC2 says about the life of an instance, and which of two sayings counts. */

export const instanceStates = ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated'] as const;

/** The states of `DescribeInstances` and of state-change events. */
export type InstanceState = (typeof instanceStates)[number];

/** EC2's six states, and `gone`: absent from two complete readings an hour apart (EC2 forgets the dead in about one). */
export type LifeState = InstanceState | 'gone';

/** The last word of EC2 on an instance. */
export interface LifeFact {
  readonly state: LifeState;
  /** Epoch seconds: the event's own time, or {@link readingAge} before a reading began. */
  readonly time: number;
}

/** Seconds that a reading of EC2 is taken to lag behind its events. */
export const readingAge = 60;

/** Seconds between two readings without the instance, after which it is gone. */
export const goneAfter = 3600;

/** An id that was seen here never runs again, so no later word on it counts. `gone` is our own conclusion and does not. */
export function isFinalLife(state: LifeState): boolean {
  return state === 'terminated' || state === 'shutting-down';
}

export function isAlive(state: LifeState): boolean {
  return state === 'pending' || state === 'running';
}

/**
 * The fact that counts: the end of a life over everything, else the newer one. `ask-ec2`: both are of the same second,
 * in which EC2's events have no order (a quick stop and start, or `pending` and `running`), so only EC2 can tell.
 */
export function laterFact(known: LifeFact | null, heard: LifeFact): LifeFact | 'ask-ec2' {
  if (known === null || known.state === heard.state) return newer(known, heard);
  if (known.state === 'shutting-down' && (heard.state === 'terminated' || heard.state === 'gone')) {
    return { ...heard, state: 'terminated' };
  }
  if (isFinalLife(known.state)) return known;
  if (isFinalLife(heard.state)) return heard;
  return known.time === heard.time ? 'ask-ec2' : newer(known, heard);
}

function newer(known: LifeFact | null, heard: LifeFact): LifeFact {
  return known === null || heard.time > known.time ? heard : known;
}

/** The state that follows the other in a life without a restart: the last resort when nobody can be asked. */
export function furtherFact(a: LifeFact, b: LifeFact): LifeFact {
  const order: readonly LifeState[] = [...instanceStates, 'gone'];
  return order.indexOf(a.state) >= order.indexOf(b.state) ? a : b;
}
