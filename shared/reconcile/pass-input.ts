/** What one pass over all tables stands on. */
import type { NetworkPlan } from '../domain/network-plan.ts';
import type { Picture } from './look.ts';
import type { SyncDeps, SyncRequest } from './sync-request.ts';
import type { SyncState } from './sync-state.ts';

export interface PassInput {
  readonly request: SyncRequest;
  readonly deps: SyncDeps;
  readonly picture: Picture;
  readonly plan: NetworkPlan;
  readonly before: SyncState;
  /** The leases are older than what was last seen. */
  readonly distrust: boolean;
  /** The map that is out may be older than the one that nodes have. */
  readonly isPutBack: boolean;
}
