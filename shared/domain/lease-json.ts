/** Leases as the JSON that other programs read: events, the CLI, world files. */
import { isHeld, type Lease } from './lease.ts';
import type { HolderRecord, LeaseRecord } from './lease-record.ts';

/** What forwards packets, and the state: as much of a lease as the map has. */
export function forwardingJson(lease: Lease) {
  return {
    subnet: lease.subnet.text,
    ipv6Subnet: lease.ipv6Subnet?.text ?? null,
    instanceId: lease.instanceId,
    eniId: lease.eniId,
    nodeIp: lease.nodeIp,
    nodeIpv6: lease.nodeIpv6,
    subnetId: lease.subnetId,
    segment: lease.segment,
    vtepMac: lease.vtepMac,
    state: lease.state,
  };
}

/** The public fields, CIDRs as text. The keys are those of a world file. */
export function leaseJson(lease: Lease) {
  return {
    ...forwardingJson(lease),
    acquiredAt: lease.acquiredAt,
    expiresAt: lease.expiresAt,
    version: lease.version,
  };
}

export type LeaseJson = ReturnType<typeof leaseJson>;

/** The same with what an operator asks for: the instance's life and what was claimed or set. */
export function leaseDetailJson(lease: LeaseRecord, holder: HolderRecord | null) {
  const isHolders = holder !== null && holder.subnet.text === lease.subnet.text;
  return {
    ...leaseJson(lease),
    held: isHeld(lease.state),
    advertise: lease.advertise,
    mtu: lease.mtu,
    onLinkPrefix: lease.onLinkPrefix,
    claimId: lease.claimId,
    releasedAt: lease.releasedAt,
    instance: isHolders
      ? { state: holder.fact.state, since: holder.fact.time, missingSince: holder.missingSince }
      : null,
  };
}

export type LeaseDetailJson = ReturnType<typeof leaseDetailJson>;
