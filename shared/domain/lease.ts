/** Leases: a node's hold on one subnet of the network. */
import type { Cidr, Family } from './cidr.ts';

/**
 * - `active`: the instance runs.
 * - `leaving`: it is stopping or shutting down; it still forwards while pods drain, so its route stays.
 * - `stale`: past its expiry while its instance runs; its route stays and its subnet is not given away.
 * - `reserved`: an operator's hold by an ENI, without instance and without expiry.
 * - `withdrawn`: the instance is stopped; the lease is kept, unrouted, and does not expire.
 * - `released`: the instance is terminated, or the lease was handed back; kept as a tombstone.
 * - `expired`: past its expiry, and EC2 could not say that its instance runs.
 */
export type LeaseState = 'active' | 'leaving' | 'stale' | 'reserved' | 'withdrawn' | 'released' | 'expired';

export const leaseStates: readonly LeaseState[] = [
  'active',
  'leaving',
  'stale',
  'reserved',
  'withdrawn',
  'released',
  'expired',
];

/** Whether the lease asks for routes. */
export function isForwarding(state: LeaseState): boolean {
  return state === 'active' || state === 'leaving' || state === 'stale' || state === 'reserved';
}

/** Whether somebody holds the subnet: a released or expired lease is only a memory of its last holder. */
export function isHeld(state: LeaseState): boolean {
  return isForwarding(state) || state === 'withdrawn';
}

export interface Lease {
  readonly subnet: Cidr;
  /** The subnet of the other family in a dual-stack network: the same index in its own network. */
  readonly ipv6Subnet: Cidr | null;
  /** Null for a reservation. */
  readonly instanceId: string | null;
  readonly eniId: string;
  /** Canonical texts of the node's addresses on that ENI. */
  readonly nodeIp: string | null;
  readonly nodeIpv6: string | null;
  /** The VPC subnet of the ENI. */
  readonly subnetId: string | null;
  /** The layer-2 neighbourhood; null equals nothing. */
  readonly segment: string | null;
  readonly vtepMac: string | null;
  readonly state: LeaseState;
  /** Epoch seconds. */
  readonly acquiredAt: number;
  /** Epoch seconds; null: does not expire. */
  readonly expiresAt: number | null;
  /**
   * Grows with every change of the lease, over removals too (it is never below the keeper's clock in milliseconds when
   * the item was first written), so that a reader of events can drop older ones.
   */
  readonly version: number;
}

/** The lease's subnet of one family. The subnet of a network with IPv6 alone is its `subnet`. */
export function subnetOf(lease: Pick<Lease, 'subnet' | 'ipv6Subnet'>, family: Family): Cidr | null {
  if (lease.subnet.family === family) return lease.subnet;
  return lease.ipv6Subnet?.family === family ? lease.ipv6Subnet : null;
}
