/** Versions of stored items. */

/**
 * The next version after `previous` (null: no item). One more, and never below the keeper's clock in milliseconds: an
 * item that was removed and written again goes on above what readers of events have seen of it.
 */
export function nextVersion(previous: number | null, nowMs: number): number {
  return Math.max((previous ?? 0) + 1, nowMs);
}
