/** What the keeper stores of leases and of the instances that hold them. */
import type { Cidr } from './cidr.ts';
import type { LifeFact } from './instance-life.ts';
import type { Lease } from './lease.ts';

/** Addresses that the operator set in place of those that EC2 knows; null: EC2's own. */
export interface Advertised {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
}

export const notAdvertised: Advertised = { ipv4: null, ipv6: null };

/** One `lease#<cidr>` item: the lease and what the keeper needs to keep it. */
export interface LeaseRecord extends Lease {
  /** Full ARN of the holder; null for a reservation. */
  readonly instanceArn: string | null;
  /** The claim that was answered last with this lease; null for a reservation. */
  readonly claimId: string | null;
  readonly advertise: Advertised;
  /** Prefix length of the node's address on its interface, as claimed; null: none that is on-link. */
  readonly onLinkPrefix: number | null;
  /** MTU of the node's link in bytes, as claimed. */
  readonly mtu: number | null;
  /** Epoch seconds of the change to `released` or `expired`; null while somebody holds the subnet. */
  readonly releasedAt: number | null;
  /** DynamoDB's time to live in epoch seconds: on tombstones only, long after. */
  readonly ttl: number | null;
}

/** One `holder#<instance>` item: what is known of an instance that holds, or held, a lease. */
export interface HolderRecord {
  readonly instanceId: string;
  readonly instanceArn: string;
  /** The subnet that it holds or held last. Whether it still does is said by the lease alone. */
  readonly subnet: Cidr;
  readonly fact: LifeFact;
  /** Epoch seconds of the first complete reading in a row in which EC2 did not list the instance. */
  readonly missingSince: number | null;
  readonly advertise: Advertised;
  /** The subnet that it lost to another holder and may not have been told of yet, and when (epoch seconds). */
  readonly lost: { readonly subnet: Cidr; readonly at: number } | null;
  /** Grows with every write, as that of a lease. */
  readonly version: number;
  /** DynamoDB's time to live in epoch seconds: on holders without a lease only, long after. */
  readonly ttl: number | null;
}

/** The `config` item. */
export interface StoredConfig {
  /** JSON text of the `net-conf.json` as it was applied. */
  readonly text: string;
  /** 1, then one more with every change; 0 in a damaged item that has none. */
  readonly revision: number;
  /** Epoch seconds. */
  readonly appliedAt: number;
}
