/**
 * The sync's state as it was stored, checked field by field. Nothing in it is needed to be right, so that an item of
 * another version, a damaged one, or one that was written under a clock ahead of ours must not stop a sync.
 */
import { checkedSync } from '../domain/stored-sync.ts';
import { longestRestMs } from './backoff.ts';
import type { Denial } from './denied-actions.ts';
import type { SyncState } from './sync-state.ts';

/** Null for what is no state. */
export function parseState(stored: unknown, now: number): SyncState | null {
  const state = checkedSync(stored);
  return state === null ? null : withoutFuture(state, now);
}

const dayMs = 86_400_000;
const slowMs = 60_000;

/**
 * Times that have not come yet, by our clock, are brought back to what they can be at most: else everything that waits
 * for them (a table's rest, the map's interval, the pace) would wait for the other clock.
 */
function withoutFuture(state: SyncState, now: number): SyncState {
  const past = (at: number): number => Math.min(at, now);
  const pastOrNull = (at: number | null): number | null => (at === null ? null : past(at));
  const each = <Value>(record: Readonly<Record<string, Value>>, change: (value: Value) => Value) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
  const { complete, buckets } = state;
  const bucketNow = (kept: (typeof buckets)['CreateRoute']) => ({
    ...kept,
    at: past(kept.at),
    slowUntil: Math.min(kept.slowUntil, now + slowMs),
  });
  return {
    ...state,
    // A reading that is yet to come covers no message.
    complete: complete === null ? null : { ...complete, readAt: complete.readAt > now ? 0 : complete.readAt },
    buckets: {
      CreateRoute: bucketNow(buckets.CreateRoute),
      ReplaceRoute: bucketNow(buckets.ReplaceRoute),
      DeleteRoute: bucketNow(buckets.DeleteRoute),
    },
    tables: each(state.tables, (kept) => ({
      ...kept,
      retryAt: Math.min(kept.retryAt, now + longestRestMs),
      denied: each(kept.denied as Record<string, Denial>, (denial) => ({
        ...denial,
        retryAt: Math.min(denial.retryAt, now + longestRestMs),
      })),
      limits: each(kept.limits as Record<string, { rows: number; until: number }>, ({ rows, until }) => ({
        rows,
        until: Math.min(until, now + dayMs),
      })),
      rows: each(kept.rows, (row) => ({ ...row, retryAt: Math.min(row.retryAt, now + longestRestMs) })),
    })),
    routed: each(state.routed, (entry) => ({
      ...entry,
      changeSeenAt: pastOrNull(entry.changeSeenAt),
      leftAt: pastOrNull(entry.leftAt),
    })),
    announced: each(state.announced, past),
    publishedAt: past(state.publishedAt),
    writtenAt: past(state.writtenAt),
  };
}
