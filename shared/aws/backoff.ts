/** How long to wait before the next try. */

/**
 * Milliseconds: full jitter under a bound that doubles with each try, so that those who collided do not meet again.
 *
 * @param tries how many failed so far, from 1
 */
export function backoff(tries: number, base: number, most: number): number {
  return Math.random() * Math.min(most, base * 2 ** (tries - 1));
}
