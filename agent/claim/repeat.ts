/** When a claim is written again. Pure; `random` is uniform in [0, 1). */

/** Seconds: design section 7. */
const firstRepeat = 2;
const lastRepeat = 60;

/** Milliseconds until an unanswered claim is repeated, after the `tries`-th writing: 2 to 60 s. */
export function repeatAfter(tries: number, random: number): number {
  const bound = Math.min(lastRepeat, firstRepeat * 2 ** (tries - 1));
  // Nodes that started together part from each other.
  return Math.max(firstRepeat, bound * (0.75 + random / 4)) * 1000;
}

/** Milliseconds until a refused claim is tried anew: only somebody's change can help. */
export const retryRefused = lastRepeat * 1000;

/** Milliseconds from one renewal to the next: a quarter of the lease, or a little less. */
export function renewAfter(leaseSeconds: number, random: number): number {
  return (leaseSeconds * 1000 * (0.9 + random / 10)) / 4;
}
