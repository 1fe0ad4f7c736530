/**
 * In which tables a lease's route is confirmed. A node that trusts a VPC route too early or too late loses packets, and
 * a reading of EC2 can be older than the last one, so one reading is never enough:
 *
 * - in: two readings at least 5 s apart, both after the write, show the route active with the lease's ENI;
 * - out: our own deletion, another ENI in the lease, or two readings at least 5 s apart that do not show it;
 * - having left, not in again for 60 s.
 */

export const confirmMs = 5_000;
const quarantineMs = 60_000;

/** Times are epoch milliseconds. */
export interface RoutedEntry {
  readonly routed: boolean;
  /** First of the readings in a row that say otherwise than `routed`; null when the last one agreed. */
  readonly changeSeenAt: number | null;
  /** When it left; null when it never did or long ago. */
  readonly leftAt: number | null;
}

/** By `routedKey`. */
export type RoutedState = ReadonlyMap<string, RoutedEntry>;

/** The ENI is part of the key: a route to the previous holder's ENI confirms nothing. */
export function routedKey(tableId: string, destination: string, eniId: string): string {
  return `${tableId} ${destination} ${eniId}`;
}

export interface Reading {
  /** When the reading began. */
  readonly at: number;
  /** Tables that were read. Of others nothing is concluded. */
  readonly tables: ReadonlySet<string>;
  /** Keys of wanted routes that are active. */
  readonly active: ReadonlySet<string>;
}

/** Every key that can be routed: of forwarding leases and planned tables. Entries of other keys are dropped. */
export function nextRouted(previous: RoutedState, wanted: readonly string[], reading: Reading): RoutedState {
  const next = new Map<string, RoutedEntry>();
  for (const key of wanted) {
    const before = previous.get(key) ?? { routed: false, changeSeenAt: null, leftAt: null };
    const isRead = reading.tables.has(key.slice(0, key.indexOf(' ')));
    const entry = isRead ? afterReading(before, reading.active.has(key), reading.at) : before;
    if (entry.routed || entry.changeSeenAt !== null || entry.leftAt !== null) next.set(key, entry);
  }
  return next;
}

function afterReading(before: RoutedEntry, isActive: boolean, at: number): RoutedEntry {
  const leftAt = before.leftAt !== null && at - before.leftAt < quarantineMs ? before.leftAt : null;
  if (isActive === before.routed) return { routed: before.routed, changeSeenAt: null, leftAt };
  const since = before.changeSeenAt ?? at;
  const isConfirmed = at - since >= confirmMs;
  if (!isConfirmed) return { routed: before.routed, changeSeenAt: since, leftAt };
  if (!isActive) return { routed: false, changeSeenAt: null, leftAt: at };
  return leftAt === null
    ? { routed: true, changeSeenAt: null, leftAt: null }
    : { routed: false, changeSeenAt: since, leftAt };
}

/** What we deleted, or announce that we will, is out at once. */
export function withoutRouted(state: RoutedState, keys: ReadonlySet<string>, at: number): RoutedState {
  const next = new Map(state);
  for (const key of keys) {
    if (next.get(key)?.routed === true) next.set(key, { routed: false, changeSeenAt: null, leftAt: at });
    else next.delete(key);
  }
  return next;
}
