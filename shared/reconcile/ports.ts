/** What a reconcile needs of the world. Each port is two or three verbs; every read is the whole answer or throws. */
import type { Cidr } from '../domain/cidr.ts';
import type { Lease } from '../domain/lease.ts';
import type { StoredConfig } from '../domain/lease-record.ts';
import type { MapContent, NetworkMap } from '../domain/map.ts';
import type { RouteTable } from '../domain/route.ts';

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The leases of the network as of one moment. */
export interface LeasesRead {
  readonly config: StoredConfig | null;
  /** Tombstones included. */
  readonly leases: readonly Lease[];
  /** Grows with every change of a lease; 0 in a table that never had one. */
  readonly counter: number;
  /** Items that do not validate: nothing is concluded about them. */
  readonly unreadable: readonly { readonly sortKey: string; readonly problem: string }[];
}

export interface Leases {
  /** Consistent, to the last page. */
  readAll(): Promise<LeasesRead>;
  /** The counter alone, consistently: whether anything moved since a read. */
  readCounter(): Promise<number>;
}

export type WriteAction = 'CreateRoute' | 'ReplaceRoute' | 'DeleteRoute';

/**
 * What EC2's refusal means for us.
 *
 * - `exists`: another row has the destination.
 * - `no-route`: the row to replace or delete is not there.
 * - `no-table`: the table is unknown; just after its creation this passes by itself.
 * - `full`: the table has no room.
 * - `denied`: a permission is missing: permanent, until somebody changes a policy.
 * - `throttled`: too many calls of this action.
 * - `transient`: a server error, a time-out or an answer that cannot be read; it is not known whether the write worked.
 * - `no-target`: the ENI is unknown: just created, or gone while the event is still on its way.
 * - `invalid`: EC2 will not have this, however often it is asked.
 */
export type Meaning =
  | 'exists'
  | 'no-route'
  | 'no-table'
  | 'full'
  | 'denied'
  | 'throttled'
  | 'transient'
  | 'no-target'
  | 'invalid';

/** A refused call. `message` is EC2's own, without secrets; `cause` is the SDK's error. */
export class Refusal extends Error {
  readonly meaning: Meaning;
  /** EC2's code, such as `RouteLimitExceeded`. */
  readonly code: string;
  /** The action that was called. */
  readonly action: string;

  constructor(meaning: Meaning, action: string, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Refusal';
    this.meaning = meaning;
    this.action = action;
    this.code = code;
  }
}

export interface RouteTables {
  /**
   * All tables of a VPC in one paged read, by the filter `vpc-id`: routes and associations. Throws a `Refusal` when a page
   * fails, is throttled or cannot be read.
   */
  readVpc(vpcId: string): Promise<readonly RouteTable[]>;
  /** Some tables by the filter `route-table-id`: those that EC2 lists. */
  readSome(ids: readonly string[]): Promise<readonly RouteTable[]>;
  /** One call each; throws a `Refusal`. Destinations go out in canonical form, the next hop as the ENI's id. */
  create(tableId: string, destination: Cidr, eniId: string): Promise<void>;
  replace(tableId: string, destination: Cidr, eniId: string): Promise<void>;
  remove(tableId: string, destination: Cidr): Promise<void>;
}

export interface MapStore {
  /**
   * The last published map; null before the first one. `damaged`: it is there and is no map, because a part is missing or
   * has another hash, or the head cannot be read. Throws when it is not known what is there.
   */
  read(): Promise<NetworkMap | null | 'damaged'>;
  /**
   * Publishes the next revision: parts first, the head last, on condition that the head is still the one of `previous`.
   * `conflict`: somebody else published; read again. `epoch` is taken when there is no previous map.
   */
  publish(content: MapContent, previous: NetworkMap | null, epoch: number): Promise<NetworkMap | 'conflict'>;
  /** The same under an epoch newer than the previous map's, `epoch` if it is one, so that every reader takes it. */
  renew(content: MapContent, previous: NetworkMap, epoch: number): Promise<NetworkMap | 'conflict'>;
  /** Publishes in place of a damaged map, as the first revision of a newer epoch, so that every reader takes it. */
  replaceDamaged(content: MapContent, epoch: number): Promise<NetworkMap>;
}

/** The `sync` item: what one pass leaves for the next. Opaque to the store: JSON in, JSON out. */
export interface SyncStateStore {
  read(): Promise<unknown>;
  write(state: unknown): Promise<void>;
}

export interface Lock {
  /** Takes the lock until `expiresAt` (epoch ms) unless somebody else holds it unexpired. */
  tryTake(holder: string, now: number, expiresAt: number): Promise<boolean>;
  /** Gives it back; does nothing when it is no longer `holder`'s. */
  release(holder: string): Promise<void>;
}

export interface OutgoingEvent {
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Publisher {
  /** Gives the indexes of the events that were not accepted in the end; throws nothing for them. */
  put(events: readonly OutgoingEvent[]): Promise<readonly number[]>;
}
