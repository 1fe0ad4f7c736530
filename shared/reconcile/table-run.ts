/** What a pass did with one table, and what it held back in the map. */
import type { TablePlan } from '../domain/table-plan.ts';
import type { StepOutcome } from './reconcile.ts';
import type { TableState } from './sync-state.ts';
import type { Sorted } from './table-pass.ts';

export interface TableRun {
  readonly plan: TablePlan;
  /** After the pass. */
  readonly state: TableState;
  readonly outcomes: readonly StepOutcome[];
  /** Null in a dry run. */
  readonly sorted: Sorted | null;
  /** Destinations written and not visible yet. */
  readonly pending: ReadonlySet<string>;
  readonly isRead: boolean;
}

/** Leases that vanished from the leases table and keep their last value in the map. */
export interface MapHold {
  readonly leases: number;
  readonly digest: string | null;
  /** The request's force was the digest of such leases: they were let go. */
  readonly isForced: boolean;
}
