/** The time of this machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../reconcile/ports.ts';
import type { Caller } from './call.ts';

/** A sleep ends at once, by an AbortError, when the caller has to be done. */
export function systemClock({ signal }: Caller = {}): Clock {
  return {
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
  };
}
