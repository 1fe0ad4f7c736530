/**
 * EC2's request throttling: one token bucket per action, and one of resources for calls that touch many instances.
 *
 * Source: the EC2 developer guide on request throttling. Ids count as no filter here (AWS leaves that open; this is the tighter reading).
 */
import { AwsError, type SandboxClock, sandboxAccount } from '../service.ts';
import { list, type Params, requiredInteger, structures, text } from './params.ts';

export interface BucketSize {
  /** Calls at once. */
  readonly burst: number;
  /** Calls per second after that. */
  readonly perSecond: number;
}

const nonMutating: BucketSize = { burst: 100, perSecond: 20 };
const unfilteredUnpaged: BucketSize = { burst: 50, perSecond: 10 };
const mutating: BucketSize = { burst: 50, perSecond: 5 };

const own: Readonly<Record<string, BucketSize>> = {
  CreateTags: { burst: 100, perSecond: 10 },
  CreateNetworkInterface: { burst: 100, perSecond: 5 },
  ModifyNetworkInterfaceAttribute: { burst: 100, perSecond: 5 },
  RunInstances: { burst: 5, perSecond: 2 },
  TerminateInstances: { burst: 100, perSecond: 5 },
};

const costlyUnfiltered = new Set(['DescribeInstances', 'DescribeNetworkInterfaces']);

const resources: Readonly<Record<string, BucketSize>> = {
  RunInstances: { burst: 1000, perSecond: 2 },
  TerminateInstances: { burst: 1000, perSecond: 20 },
  StartInstances: { burst: 1000, perSecond: 2 },
  StopInstances: { burst: 1000, perSecond: 20 },
};

function bucketOf(action: string, params: Params): { key: string; size: BucketSize } {
  if (!action.startsWith('Describe')) return { key: action, size: own[action] ?? mutating };
  const open = structures(params, 'Filter').length === 0 && text(params, 'MaxResults') === undefined;
  if (open && costlyUnfiltered.has(action)) return { key: `${action} unfiltered`, size: unfilteredUnpaged };
  return { key: action, size: nonMutating };
}

const countResources = (action: string, params: Params) =>
  action === 'RunInstances' ? requiredInteger(params, 'MaxCount') : list(params, 'InstanceId').length;

export class TokenBuckets {
  readonly #clock: SandboxClock;
  readonly #levels = new Map<string, { tokens: number; at: number }>();
  readonly #sizes = new Map<string, BucketSize | 'unlimited'>();
  #on: boolean;

  constructor(clock: SandboxClock, on: boolean) {
    this.#clock = clock;
    this.#on = on;
  }

  switch(on: boolean): void {
    this.#on = on;
    this.#levels.clear();
  }

  /** Gives one action another size, from a full bucket. */
  resize(action: string, size: BucketSize | 'unlimited'): void {
    this.#sizes.set(action, size);
    for (const key of [action, `${action} unfiltered`]) this.#levels.delete(key);
  }

  /** Takes the call's tokens, or throws as EC2 does when there are none. */
  take(action: string, params: Params): void {
    if (!this.#on || this.#sizes.get(action) === 'unlimited') return;
    const { key, size } = bucketOf(action, params);
    const chosen = this.#sizes.get(action);
    this.#draw(action, key, chosen === undefined || chosen === 'unlimited' ? size : chosen, 1);
    const pool = resources[action];
    if (pool !== undefined) this.#draw(action, `${action} resources`, pool, countResources(action, params));
  }

  #draw(action: string, key: string, { burst, perSecond }: BucketSize, count: number): void {
    const now = this.#clock.now();
    const level = this.#levels.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, level.tokens + ((now - level.at) / 1000) * perSecond);
    const enough = tokens >= count;
    this.#levels.set(key, { tokens: enough ? tokens - count : tokens, at: now });
    if (enough) return;
    throw new AwsError(
      'RequestLimitExceeded',
      `Request limit exceeded. Account ${sandboxAccount} has been throttled on ec2:${action} because it exceeded its request rate limit.`,
      503,
    );
  }
}
