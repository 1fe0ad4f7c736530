/**
 * The pace of EC2 calls: a token bucket per action, as EC2 itself keeps one (50 calls at once, 5 a second after that for
 * actions that write; Amazon EC2 API throttling). Create, replace and delete have separate budgets.
 */

export const burst = 50;
const refillPerSecond = 5;
/** How long the rate stays halved after EC2 throttled us all the same: others of the account use the bucket too. */
const slowForMs = 60_000;

export interface Bucket {
  readonly tokens: number;
  /** Epoch milliseconds of `tokens`. */
  readonly at: number;
  /** Until then the rate is halved; 0: it is not. */
  readonly slowUntil: number;
}

export function fullBucket(now: number): Bucket {
  return { tokens: burst, at: now, slowUntil: 0 };
}

function refilled(bucket: Bucket, now: number): Bucket {
  const rate = now < bucket.slowUntil ? refillPerSecond / 2 : refillPerSecond;
  const gained = (Math.max(0, now - bucket.at) / 1000) * rate;
  return { ...bucket, tokens: Math.min(burst, bucket.tokens + gained), at: Math.max(now, bucket.at) };
}

/** Takes one token, going into debt; `waitMs` is how long the caller must wait before it may call. */
export function take(bucket: Bucket, now: number): { readonly bucket: Bucket; readonly waitMs: number } {
  const full = refilled(bucket, now);
  const tokens = full.tokens - 1;
  const rate = now < full.slowUntil ? refillPerSecond / 2 : refillPerSecond;
  return { bucket: { ...full, tokens }, waitMs: tokens >= 0 ? 0 : Math.ceil((-tokens / rate) * 1000) };
}

/** Gives back a token that was taken for a call that is not made. */
export function giveBack(bucket: Bucket): Bucket {
  return { ...bucket, tokens: Math.min(burst, bucket.tokens + 1) };
}

/** EC2 throttled the action: the bucket is empty, and the rate is halved for a minute. */
export function throttled(bucket: Bucket, now: number): Bucket {
  return { tokens: Math.min(0, bucket.tokens), at: now, slowUntil: now + slowForMs };
}
