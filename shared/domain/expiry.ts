/** When a lease counts as past its expiry. */

/**
 * Seconds that the clocks of writer and judge may differ. A lease that looks expired by less is not: taking it away
 * would hand a live node's subnet to another because of a clock.
 */
const skewAllowance = 60;

/** `expiresAt` and `now` in epoch seconds; null does not expire. */
export function isPastExpiry(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt + skewAllowance < now;
}
