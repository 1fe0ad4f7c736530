/** How long something that failed is left alone: one minute, doubling, at most fifteen. */

const firstMs = 60_000;
export const longestRestMs = 15 * 60_000;
/** A schedule that ticks once a minute must not miss its turn by the length of the failing pass. */
const graceMs = 10_000;

/** `failures` in a row, the last one included; at least 1. */
export function retryAtAfter(failures: number, now: number): number {
  return now + Math.min(longestRestMs, firstMs * 2 ** (failures - 1)) - graceMs;
}
