/** Waits for the pace of EC2 calls; the buckets outlive the pass in the sync's state. */
import { type Bucket, giveBack, take, throttled } from '../domain/pacer.ts';
import type { Clock, WriteAction } from './ports.ts';

export interface Pace {
  /** Waits for a token; false, and no token taken, when that would last beyond the deadline (epoch ms). */
  ready(action: WriteAction, deadline: number): Promise<boolean>;
  /** EC2 throttled the action. */
  throttled(action: WriteAction): void;
  buckets(): Readonly<Record<WriteAction, Bucket>>;
}

export function paceOf(start: Readonly<Record<WriteAction, Bucket>>, clock: Clock): Pace {
  const buckets = { ...start };
  return {
    async ready(action, deadline) {
      const now = clock.now();
      const { bucket, waitMs } = take(buckets[action], now);
      if (now + waitMs > deadline) return false;
      buckets[action] = bucket;
      if (waitMs === 0) return true;
      await clock.sleep(waitMs);
      if (clock.now() <= deadline) return true;
      buckets[action] = giveBack(buckets[action]);
      return false;
    },
    throttled(action) {
      buckets[action] = throttled(buckets[action], clock.now());
    },
    buckets: () => ({ ...buckets }),
  };
}
