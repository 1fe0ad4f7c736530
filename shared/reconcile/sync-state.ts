/** What one pass of the sync leaves for the next: pace, backoff of failing tables, confirmations under way. */
import type { Limits } from '../domain/capacity.ts';
import type { Family } from '../domain/cidr.ts';
import type { MapPlace } from '../domain/map-place.ts';
import { type Bucket, fullBucket } from '../domain/pacer.ts';
import type { RoutedEntry } from '../domain/routed-in.ts';
import type { Denials } from './denied-actions.ts';
import type { WriteAction } from './ports.ts';
import type { Failure } from './report.ts';
import { parseState } from './stored-state.ts';

/** A row that could not be put right: it is left alone for a while, and its table goes on without it. */
export interface RowState {
  /** The ENI that was wanted; null for a deletion. With another one the row is tried at once. */
  readonly eniId: string | null;
  readonly failures: number;
  readonly retryAt: number;
  readonly failure: Failure;
}

export interface TableState {
  /** Failing passes in a row. */
  readonly failures: number;
  /** Epoch milliseconds before which a pass of its own accord leaves the table alone. */
  readonly retryAt: number;
  readonly lastFailure: Failure | null;
  /** Actions that IAM does not allow here. */
  readonly denied: Denials;
  /** Limits below the configured one, learned from `RouteLimitExceeded`, for a day. */
  readonly limits: Readonly<Partial<Record<Family, { readonly rows: number; readonly until: number }>>>;
  /** Whether the table was complete at least once since it was listed. */
  readonly filled: boolean;
  /** Rows that EC2 refused for themselves, or that stay a blackhole, by destination. */
  readonly rows: Readonly<Record<string, RowState>>;
  /** Digest of the overflow that was last told. */
  readonly toldOverflow: string | null;
}

export interface SyncState {
  readonly vpcId: string | null;
  /** The highest lease counter seen: a lower one means that the leases were restored or emptied. */
  readonly counter: number;
  /** The leases were older than what was last seen, and deletions are held since: new writes alone make them no younger. */
  readonly distrusted: boolean;
  /** When the last sync that succeeded in every table began reading leases (epoch ms), and the counter it read. */
  readonly complete: { readonly readAt: number; readonly counter: number } | null;
  readonly buckets: Readonly<Record<WriteAction, Bucket>>;
  readonly tables: Readonly<Record<string, TableState>>;
  /** Entries under way; settled ones follow from the map. */
  readonly routed: Readonly<Record<string, RoutedEntry>>;
  /** Live leases' routes that will go, by key, and when the map that says so was published (epoch ms). */
  readonly announced: Readonly<Record<string, number>>;
  /** Epoch ms of the last publishing. */
  readonly publishedAt: number;
  /** The map that was out when this was written; null: none, or not known. */
  readonly mapPlace: MapPlace | null;
  /** Epoch ms at which this was written; 0: not known. */
  readonly writtenAt: number;
  /** Digest of the refusal that was last told. */
  readonly toldRefusal: string | null;
}

export const freshTable: TableState = {
  failures: 0,
  retryAt: 0,
  lastFailure: null,
  denied: {},
  limits: {},
  filled: false,
  rows: {},
  toldOverflow: null,
};

/** What `RouteLimitExceeded` taught of a table and still counts. */
export function learnedLimits({ limits }: TableState, now: number): Partial<Limits> {
  const known = Object.entries(limits).filter(([, limit]) => limit.until > now);
  return Object.fromEntries(known.map(([family, { rows }]) => [family, rows]));
}

/** The state before the first sync, or in place of one that cannot be read: nothing in it is needed to be right. */
function freshState(now: number): SyncState {
  return {
    vpcId: null,
    counter: 0,
    distrusted: false,
    complete: null,
    buckets: { CreateRoute: fullBucket(now), ReplaceRoute: fullBucket(now), DeleteRoute: fullBucket(now) },
    tables: {},
    routed: {},
    announced: {},
    publishedAt: 0,
    mapPlace: null,
    writtenAt: 0,
    toldRefusal: null,
  };
}

const version = 2;

export function readState(stored: unknown, now: number): SyncState {
  if (typeof stored !== 'object' || stored === null || !('version' in stored)) return freshState(now);
  return (stored.version === version ? parseState(stored, now) : null) ?? freshState(now);
}

export function writtenState(state: SyncState): unknown {
  return { version, ...state };
}
