/** What a sync is asked, and what it stands on. */
import type { Clock, Leases, MapStore, RouteTables, SyncStateStore } from './ports.ts';

export interface SyncDeps {
  readonly network: string;
  /** Tables that the deployment allows to be written. */
  readonly ceiling: readonly string[];
  readonly leases: Leases;
  readonly tables: RouteTables;
  readonly maps: MapStore;
  readonly state: SyncStateStore;
  readonly clock: Clock;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
}

export interface SyncRequest {
  readonly syncId: string;
  readonly dryRun: boolean;
  /** Digest of held deletions to let through. */
  readonly force: string | null;
  /** What an earlier pass of the same force let through, as its report gave it (`guard.forced`). */
  readonly forced: readonly string[];
  /** Tables to write; null: all. Every table is read whatever this says. */
  readonly only: readonly string[] | null;
  /** A person asked: failing tables and rows are tried before their time. */
  readonly isManual: boolean;
  /** Epoch milliseconds at which the work ends. */
  readonly deadline: number;
}
