/** What a sync did, as a value: per table, per destination, in words for people and programs. */
import type { WriteAction } from './ports.ts';

/** One refused write, or a read without which a table could not be written. */
export interface Failure {
  readonly action: string;
  readonly destination: string | null;
  /** EC2's code, such as `UnauthorizedOperation`. */
  readonly code: string;
  readonly message: string;
  /** Somebody has to change something before it can work. */
  readonly permanent: boolean;
}

export interface TableReport {
  readonly id: string;
  /**
   * - `ok`: as desired.
   * - `pending`: written, not visible yet.
   * - `left`: work remains for the next pass (time, pace, or a map that must be out first).
   * - `waiting`: failed before and left alone until `retryAt`.
   * - `failed`, `missing`.
   */
  readonly status: 'ok' | 'pending' | 'left' | 'waiting' | 'failed' | 'missing';
  readonly created: number;
  readonly replaced: number;
  readonly deleted: number;
  /** Blackholes of ours that were found. */
  readonly blackholes: number;
  readonly failures: readonly Failure[];
  /** Written and not visible yet. */
  readonly pending: number;
  /** Steps not tried in this pass. */
  readonly left: number;
  readonly overflow: readonly string[];
  /** Epoch milliseconds; null unless `waiting` or `failed`. */
  readonly retryAt: number | null;
}

export interface RouteChange {
  readonly routeTableId: string;
  readonly action: 'create' | 'replace' | 'delete';
  readonly destination: string;
  readonly nextHop: string | null;
  readonly was: string | null;
  readonly reason: string;
}

export interface SyncReport {
  readonly syncId: string;
  readonly network: string;
  readonly mode: 'enforce' | 'observe' | 'dry-run';
  /**
   * - `ok`: every table is as desired, or would be by the plan of a dry run.
   * - `partial`: some table failed, is missing, or has work left.
   * - `refused`: the guard holds deletions back; everything else was done.
   * - `failed`: nothing could be planned. Nothing was changed.
   * - `unconfigured`: no network configuration was applied yet.
   */
  readonly status: 'ok' | 'partial' | 'refused' | 'failed' | 'unconfigured';
  /** Why nothing could be planned, or that a force fits nothing. */
  readonly message: string | null;
  readonly tables: readonly TableReport[];
  readonly changes: readonly RouteChange[];
  readonly guard: {
    readonly refused: boolean;
    readonly digest: string | null;
    /** Held deletions that the request's force let through; a further pass goes on with these. */
    readonly forced: readonly string[];
    readonly tables: Readonly<Record<string, { readonly held: number; readonly ours: number }>>;
  };
  readonly map: {
    readonly revision: number | null;
    readonly held: number;
    /** The map that was out may have been older than one that nodes have: this one has a newer epoch. */
    readonly renewed: boolean;
  };
  /** VPC subnets whose nodes reach no other node, because their table is not listed; a sentence each. */
  readonly cutOff: readonly string[];
  /** Steps that no lease change asked for. */
  readonly drift: number;
  /** Epoch milliseconds at which the leases that this sync stands on began to be read; null without a plan. */
  readonly readAt: number | null;
  /** Epoch milliseconds at which what was written had been read back; null without a plan and in a dry run. */
  readonly confirmedAt: number | null;
  /** Work is left and progress was made: another pass goes on at once. */
  readonly more: boolean;
}

export function writesOf(report: SyncReport): number {
  return report.tables.reduce((sum, table) => sum + table.created + table.replaced + table.deleted, 0);
}

export const actionOf: Readonly<Record<'create' | 'replace' | 'delete', WriteAction>> = {
  create: 'CreateRoute',
  replace: 'ReplaceRoute',
  delete: 'DeleteRoute',
};
