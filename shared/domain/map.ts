/**
 * The map: the published picture of all leases of a network that agents read. It says what is, not what to do; both
 * ends of a pair find the same path in it.
 */
import type { Lease } from './lease.ts';

export const mapSchema = 1;

/** A lease as the map shows it. */
export interface MapLease {
  /** Canonical texts. */
  readonly subnet: string;
  readonly ipv6Subnet: string | null;
  readonly instanceId: string | null;
  readonly eniId: string | null;
  readonly nodeIp: string | null;
  readonly nodeIpv6: string | null;
  readonly subnetId: string | null;
  readonly segment: string | null;
  readonly vtepMac: string | null;
  readonly state: Lease['state'];
  /** Ids of the tables in which the lease's route is confirmed active, sorted. */
  readonly routedIn: readonly string[];
  readonly ipv6RoutedIn: readonly string[];
}

export interface MapTable {
  readonly id: string;
  /** VPC subnets whose packets this table routes, sorted. */
  readonly subnets: readonly string[];
  /** Listed, but not once complete yet: nobody relies on it. */
  readonly filling: boolean;
}

/** What is in the map beside its place in time. */
export interface MapContent {
  readonly network: string;
  /** net-conf.json as it was applied, parsed. */
  readonly config: unknown;
  readonly tables: readonly MapTable[];
  /** By subnet. */
  readonly leases: readonly MapLease[];
}

export interface NetworkMap extends MapContent {
  readonly schema: number;
  /** Epoch milliseconds of the first publishing into this table: a restored table has a newer one. */
  readonly epoch: number;
  /** Grows by one with every publishing. */
  readonly revision: number;
}
