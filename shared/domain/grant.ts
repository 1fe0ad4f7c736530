/** Granting and renewing: the records that a transaction writes. Every field is written, so that nothing of a former holder stays. */
import type { LifeFact } from './instance-life.ts';
import { isHeld } from './lease.ts';
import { tombstoneSeconds } from './lease-life.ts';
import type { Advertised, HolderRecord, LeaseRecord } from './lease-record.ts';
import type { NetworkConfig } from './network-config.ts';
import { segmentOf } from './segment.ts';
import type { SubnetPair } from './subnet-pool.ts';
import { nextVersion } from './version.ts';

/** The node's ENI as EC2 knows it. */
export interface NodeInterface {
  readonly eniId: string;
  readonly subnetId: string;
  readonly privateIp: string | null;
  readonly ipv6: string | null;
}

export interface Grant {
  readonly pair: SubnetPair;
  readonly instanceId: string;
  readonly instanceArn: string;
  readonly claimId: string;
  readonly eni: NodeInterface;
  readonly checkIsOff: boolean;
  readonly onLinkPrefix: number | null;
  readonly mtu: number | null;
  readonly vtepMac: string;
  readonly advertise: Advertised;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** The lease item that takes the place of `previous`: the holder's own (a renewal), a tombstone, or none. */
export function leaseOf(grant: Grant, previous: LeaseRecord | null, config: NetworkConfig): LeaseRecord {
  const now = Math.floor(grant.nowMs / 1000);
  const isRenewal = previous !== null && previous.instanceId === grant.instanceId && isHeld(previous.state);
  return {
    subnet: grant.pair.subnet,
    ipv6Subnet: grant.pair.ipv6Subnet,
    instanceId: grant.instanceId,
    instanceArn: grant.instanceArn,
    claimId: grant.claimId,
    ...placed(grant.eni, grant, config),
    vtepMac: grant.vtepMac,
    state: 'active',
    acquiredAt: isRenewal ? previous.acquiredAt : now,
    expiresAt: now + config.leaseSeconds,
    version: nextVersion(previous?.version ?? null, grant.nowMs),
    advertise: grant.advertise,
    onLinkPrefix: grant.onLinkPrefix,
    mtu: grant.mtu,
    releasedAt: null,
    ttl: null,
  };
}

/** Where a node is: the fields of a lease that follow its ENI. */
export function placed(
  eni: NodeInterface,
  node: Pick<Grant, 'advertise' | 'onLinkPrefix' | 'checkIsOff'>,
  config: Pick<NetworkConfig, 'backend' | 'families'>,
): Pick<LeaseRecord, 'eniId' | 'nodeIp' | 'nodeIpv6' | 'subnetId' | 'segment'> {
  const nodeIp = node.advertise.ipv4 ?? eni.privateIp;
  const nodeIpv6 = node.advertise.ipv6 ?? eni.ipv6;
  const hasIpv4 = config.families.some(({ family }) => family === 'ipv4');
  const near = hasIpv4 ? { privateIp: eni.privateIp, nodeIp } : { privateIp: eni.ipv6, nodeIp: nodeIpv6 };
  const { onLinkPrefix, checkIsOff } = node;
  const segment = segmentOf({ ...near, onLinkPrefix, checkIsOff, subnetId: eni.subnetId }, config);
  return { eniId: eni.eniId, nodeIp, nodeIpv6, subnetId: eni.subnetId, segment };
}

/** The holder item beside a lease that is held. */
export function holderOf(
  grant: Grant,
  previous: HolderRecord | null,
  fact: LifeFact,
  lost: HolderRecord['lost'],
): HolderRecord {
  return {
    instanceId: grant.instanceId,
    instanceArn: grant.instanceArn,
    subnet: grant.pair.subnet,
    fact,
    missingSince: null,
    advertise: grant.advertise,
    lost,
    version: nextVersion(previous?.version ?? null, grant.nowMs),
    ttl: null,
  };
}

/** The holder item after its lease ended or went on: it outlives the lease as long as the tombstone does. */
export function holderBeside(holder: HolderRecord, lease: LeaseRecord | null, now: number): HolderRecord {
  const holds = lease !== null && lease.instanceId === holder.instanceId && isHeld(lease.state);
  return { ...holder, ttl: holds ? null : (holder.ttl ?? now + tombstoneSeconds) };
}
