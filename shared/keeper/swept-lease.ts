/** What a sweep makes of one lease: pure, from the items, EC2's reading and the clock. */
import { holderBeside, placed } from '../domain/grant.ts';
import { goneAfter, type LifeFact, laterFact } from '../domain/instance-life.ts';
import { isHeld } from '../domain/lease.ts';
import { aged, lived } from '../domain/lease-life.ts';
import type { HolderRecord, LeaseRecord } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { misfit, pairOf } from '../domain/subnet-pool.ts';
import { nextVersion } from '../domain/version.ts';
import { type Ec2Reading, leaseInterface } from './lease-interface.ts';

export interface Reading extends Ec2Reading {
  /** ENIs whose check was seen off. */
  readonly checksOff: ReadonlySet<string>;
  /** Epoch seconds before the reading began, less the age of a reading. */
  readonly readAt: number;
  /**
   * Whether the reading listed any instance at all. An empty answer is more likely a broken one than the end of a whole
   * cluster, so it has to come twice before anything follows from it.
   */
  readonly listsAny: boolean;
}

export interface Swept {
  readonly lease: LeaseRecord;
  /** Null for a reservation. */
  readonly holder: HolderRecord | null;
}

/** The same objects where nothing changes. Versions of changed ones are already the next. */
export function sweptLease(
  lease: LeaseRecord,
  holder: HolderRecord | null,
  reading: Reading,
  config: NetworkConfig,
  nowMs: number,
): Swept {
  const now = Math.floor(nowMs / 1000);
  if (lease.instanceId === null)
    return { lease: versioned(lease, paired(located(lease, reading, config), config), nowMs), holder: null };
  const seen = reading.instances.get(lease.instanceId);
  const known = holder?.fact ?? null;
  const missingSince = seen === undefined ? (holder?.missingSince ?? now) : null;
  const wasMissing = holder !== null && holder.missingSince !== null;
  const heard: LifeFact | null =
    seen !== undefined
      ? { state: seen.state, time: reading.readAt }
      : wasMissing && now - (missingSince ?? now) >= goneAfter
        ? { state: 'gone', time: reading.readAt }
        : null;
  const fact = heard === null ? known : factAfter(known, heard);

  let next = fact === null ? lease : lived(lease, fact.state, config, now);
  if (seen !== undefined || reading.listsAny || wasMissing) {
    next = aged(next, seen === undefined ? null : (fact?.state ?? null), now);
  }
  if (isHeld(next.state)) next = paired(located(next, reading, config), config);
  return {
    lease: versioned(lease, next, nowMs),
    holder: sweptHolder(lease, next, holder, { fact, missingSince, nowMs }),
  };
}

function factAfter(known: LifeFact | null, heard: LifeFact): LifeFact {
  const later = laterFact(known, heard);
  if (later === 'ask-ec2') return heard; // the reading is EC2's answer
  return known !== null && later.state === known.state ? known : later;
}

/** The holder of a lease whose own item is missing (a half restored table) is written anew. */
function sweptHolder(
  lease: LeaseRecord,
  next: LeaseRecord,
  holder: HolderRecord | null,
  { fact, missingSince, nowMs }: { fact: LifeFact | null; missingSince: number | null; nowMs: number },
): HolderRecord | null {
  const now = Math.floor(nowMs / 1000);
  if (lease.instanceId === null || lease.instanceArn === null) return holder;
  if (holder === null) {
    if (fact === null) return null; // EC2 does not list it either: its lease runs out
    const { instanceId, instanceArn, subnet, advertise } = lease;
    const made = { instanceId, instanceArn, subnet, advertise, fact, missingSince, lost: null, ttl: null };
    return holderBeside({ ...made, version: nextVersion(null, nowMs) }, next, now);
  }
  const changed = holderBeside({ ...holder, fact: fact ?? holder.fact, missingSince }, next, now);
  const isSame =
    changed.fact === holder.fact && changed.missingSince === holder.missingSince && changed.ttl === holder.ttl;
  // Another lease of the same instance is a duplicate and not this holder's.
  if (isSame || holder.subnet.text !== lease.subnet.text) return holder;
  return { ...changed, version: nextVersion(holder.version, nowMs) };
}

/** Address, VPC subnet and segment of the node's ENI. */
function located(lease: LeaseRecord, reading: Reading, config: NetworkConfig): LeaseRecord {
  const eni = leaseInterface(lease, reading);
  if (eni === null) return lease;
  // What the claim said of its link was said of the interface that it named.
  const onLinkPrefix = eni.eniId === lease.eniId ? lease.onLinkPrefix : null;
  const node = { ...lease, onLinkPrefix, checkIsOff: reading.checksOff.has(eni.eniId) };
  const place = { ...placed(eni, node, config), onLinkPrefix };
  const keys = Object.keys(place) as (keyof typeof place)[];
  return keys.every((key) => place[key] === lease[key]) ? lease : { ...lease, ...place };
}

/**
 * The IPv6 part that belongs to the subnet now: a family that was switched on or off comes or goes, and a reservation has
 * no renewal to bring it. A lease without a place at all waits for its node's next claim.
 */
function paired(lease: LeaseRecord, config: NetworkConfig): LeaseRecord {
  if (misfit(config, lease.subnet) !== null) return lease;
  const { ipv6Subnet } = pairOf(config, lease.subnet);
  return ipv6Subnet?.text === lease.ipv6Subnet?.text ? lease : { ...lease, ipv6Subnet };
}

function versioned(before: LeaseRecord, after: LeaseRecord, nowMs: number): LeaseRecord {
  return after === before ? before : { ...after, version: nextVersion(before.version, nowMs) };
}
