/**
 * Whether the map table may have been put back to an earlier time, as by a restore from a backup. Nodes that have seen a
 * later map take nothing from such a table until its revision has passed the one they hold, so the sync has to publish under a
 * newer epoch.
 *
 * The `sync` item is put back with the map and cannot tell by what it says, but by its age: a sync comes every minute and
 * writes it at its end, while a restored one is older than the five minutes by which point-in-time recovery lags, and than
 * the restore has lasted. Syncs that were away for as long look the same. A newer epoch then costs each node one reading.
 */
import type { NetworkMap } from '../domain/map.ts';
import { isEarlier } from '../domain/map-place.ts';
import type { SyncState } from './sync-state.ts';

/** A minute to the next tick, 20 s for the turn, 90 s of work, and the same again for a tick that was lost. */
const longestSilenceMs = 5 * 60_000;

export function isPutBack(out: NetworkMap | null | 'damaged', state: SyncState, now: number): boolean {
  // Where there is no map that can be read, the next one has a newer epoch in any case.
  if (out === null || out === 'damaged') return false;
  // The head alone may have been put back.
  if (state.mapPlace !== null && isEarlier(out, state.mapPlace)) return true;
  return now - state.writtenAt > longestSilenceMs;
}

/** The state without what is only true of the map that the nodes have: what is under way begins anew. */
export function withoutMapMemory(state: SyncState): SyncState {
  return { ...state, routed: {}, announced: {} };
}
