/** Whether messages are about a world that a sync has already seen. */
import type { SyncState } from './sync-state.ts';

/** A lease's change is in DynamoDB before its event is sent; this is for the clocks of those who stamp. */
const marginMs = 2_000;

/** `newestSentAt`: epoch milliseconds at which the newest message was sent. */
export function isCovered(state: SyncState, newestSentAt: number): boolean {
  return state.complete !== null && state.complete.readAt >= newestSentAt + marginMs;
}
