/**
 * What becomes of one claim: pure, from the book, EC2's facts and the clock.
 *
 * How a node learns that it lost its subnet: the transaction that grants the new one marks the holder (`lost`), and every
 * claim of the instance is answered `lost` until such an answer was written and two minutes have passed, which is longer
 * than a node waits before it repeats a claim. So neither a keeper that dies between the transaction and the answer nor
 * a node that repeats its claim meanwhile turns `lost` into a plain `granted`.
 */
import { type Allocation, allocate } from '../domain/allocation.ts';
import type { Answer } from '../domain/answer.ts';
import type { Claim } from '../domain/claim.ts';
import { type Grant, holderOf, leaseOf } from '../domain/grant.ts';
import { isAlive, isFinalLife, type LifeFact, laterFact } from '../domain/instance-life.ts';
import { isHeld } from '../domain/lease.ts';
import { freed } from '../domain/lease-life.ts';
import { type HolderRecord, type LeaseRecord, notAdvertised } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { pairOf } from '../domain/subnet-pool.ts';
import { nextVersion } from '../domain/version.ts';
import { vtepMacOf } from '../domain/vtep-mac.ts';
import type { InterfaceFacts, Transaction, VpcFacts, Write } from './ports.ts';
import type { WorkingBook } from './working-book.ts';

/** Seconds for which `lost` is said again to later claims. */
const lostIsRepeatedFor = 120;

export interface ClaimCase {
  readonly network: string;
  readonly instanceId: string;
  readonly instanceArn: string;
  readonly claim: Claim;
  /** The answer that stands beside the claim. */
  readonly answered: Answer | null;
  readonly eni: InterfaceFacts;
  /** Whether a reading showed the ENI's source/destination check off, and what stands in the way where it must be. */
  readonly checkIsOff: boolean;
  readonly checkProblem: string | null;
  /** EC2's word on the instance, stamped as a reading. */
  readonly fact: LifeFact;
}

export interface Decision {
  readonly answer: Answer;
  /** To be committed before the answer is written; null: nothing changes. */
  readonly transaction: Transaction | null;
}

export function decideClaim(
  book: WorkingBook,
  config: NetworkConfig,
  vpc: Pick<VpcFacts, 'foreign' | 'routed'>,
  about: ClaimCase,
  nowMs: number,
  spread: bigint,
): Decision {
  const { instanceId, claim } = about;
  const holder = book.holders.get(instanceId) ?? null;
  const refused = (reason: string) => decided({ claimId: claim.claimId, status: 'refused', reason });
  const pending = (reason: string) => decided({ claimId: claim.claimId, status: 'pending', reason });

  if (book.unreadableHolders.has(instanceId)) return pending(`the item holder#${instanceId} cannot be read`);
  if (holder !== null && isFinalLife(holder.fact.state)) {
    return refused(`${instanceId} was ${holder.fact.state}: its id never holds a lease again`);
  }
  const later = laterFact(holder?.fact ?? null, about.fact);
  const fact = later === 'ask-ec2' ? about.fact : later; // the reading at hand is EC2's answer
  if (!isAlive(fact.state)) return pending(`${instanceId} is ${fact.state}`);

  const previous = holder?.subnet ?? null;
  if (previous !== null && book.unreadableSubnets.some((subnet) => subnet.text === previous.text)) {
    return pending(`the item of its lease ${previous.text} cannot be read`);
  }
  const leases = [...book.leases.values()];
  const allocation = allocate(
    config,
    leases,
    { foreign: vpc.foreign, routed: vpc.routed, unreadable: book.unreadableSubnets },
    { instanceId, previous, wanted: claim.subnet, spread },
  );
  if (allocation.kind === 'refused') return refused(allocation.reason);

  const vtepMac = vtepMacOf(about.network, about.instanceArn);
  const twin = leases.find(
    (lease) => isHeld(lease.state) && lease.vtepMac === vtepMac && lease.instanceId !== instanceId,
  );
  if (twin !== undefined) return refused(`the MAC of its tunnel end point, ${vtepMac}, is that of ${twin.instanceId}`);
  // A renewal goes on without its segment: the node keeps its subnet, and peers take another path.
  if (about.checkProblem !== null && allocation.kind === 'subnet') return pending(about.checkProblem);

  return granted(book, config, about, allocation, { holder, fact, vtepMac, nowMs });
}

function decided(answer: Answer): Decision {
  return { answer, transaction: null };
}

interface Granting {
  readonly holder: HolderRecord | null;
  readonly fact: LifeFact;
  readonly vtepMac: string;
  readonly nowMs: number;
}

function granted(
  book: WorkingBook,
  config: NetworkConfig,
  about: ClaimCase,
  allocation: Exclude<Allocation, { kind: 'refused' }>,
  { holder, fact, vtepMac, nowMs }: Granting,
): Decision {
  const now = Math.floor(nowMs / 1000);
  // A family that was switched on or off since the grant comes or goes with the renewal.
  const pair = allocation.kind === 'own' ? pairOf(config, allocation.lease.subnet) : allocation;
  const stored = book.leases.get(pair.subnet.text) ?? null;
  const instead = allocation.kind === 'subnet' ? allocation.instead : null;
  const own = [stored, instead].find((lease) => lease?.instanceId === about.instanceId);
  const grant: Grant = {
    pair: { subnet: pair.subnet, ipv6Subnet: pair.ipv6Subnet },
    instanceId: about.instanceId,
    instanceArn: about.instanceArn,
    claimId: about.claim.claimId,
    eni: about.eni,
    checkIsOff: about.checkIsOff,
    onLinkPrefix: about.claim.onLinkPrefix,
    mtu: about.claim.mtu,
    vtepMac,
    // The holder keeps the operator's override over a change of subnet.
    advertise: holder?.advertise ?? own?.advertise ?? notAdvertised,
    nowMs,
  };
  const news = allocation.kind === 'subnet' ? allocation.lost : null;
  const lost =
    news !== null && (holder !== null || instead !== null)
      ? { subnet: instead?.subnet ?? holder?.subnet ?? pair.subnet, at: now }
      : stillUntold(holder, about, now);
  const lease = leaseOf(grant, stored, config);
  const nextHolder = holderOf(grant, holder, fact, lost);
  const reason = news ?? (lost === null ? null : `${lost.subnet.text} went to another, or out of use`);

  // The same claim again, with nothing new: the transaction went through, the answer did not.
  const isAnswered = allocation.kind === 'own' && stored !== null && sameGrant(stored, lease);
  const transaction: Transaction = {
    configRevision: book.configRevision,
    leases: [
      ...(instead === null ? [] : [replacing(released(instead, now, nowMs), instead)]),
      replacing(lease, stored),
    ],
    holders:
      holder !== null && allocation.kind === 'own' && sameHolder(holder, nextHolder)
        ? []
        : [replacing(nextHolder, holder)],
  };
  return {
    answer: {
      claimId: about.claim.claimId,
      status: lost === null ? 'granted' : 'lost',
      reason,
      subnet: lease.subnet,
      ipv6Subnet: lease.ipv6Subnet,
      vtepMac,
      expiresAt: (isAnswered ? stored.expiresAt : null) ?? now + config.leaseSeconds,
    },
    transaction: isAnswered && transaction.holders?.length === 0 ? null : transaction,
  };
}

function stillUntold(holder: HolderRecord | null, { answered, claim }: ClaimCase, now: number): HolderRecord['lost'] {
  if (holder === null || holder.lost === null) return null;
  const wasTold = answered?.status === 'lost' && answered.claimId !== claim.claimId;
  return wasTold && now >= holder.lost.at + lostIsRepeatedFor ? null : holder.lost;
}

function replacing<Item extends { readonly version: number }>(item: Item, stored: Item | null): Write<Item> {
  return { item, expected: stored?.version ?? null };
}

function released(lease: LeaseRecord, now: number, nowMs: number): LeaseRecord {
  return { ...freed(lease, 'released', now), version: nextVersion(lease.version, nowMs) };
}

function sameGrant(a: LeaseRecord, b: LeaseRecord): boolean {
  const compared = ({ version, expiresAt, acquiredAt, subnet, ipv6Subnet, ...rest }: LeaseRecord) =>
    JSON.stringify([subnet.text, ipv6Subnet?.text ?? null, sorted(rest)]);
  return compared(a) === compared(b);
}

function sorted(record: object): unknown {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether nothing of the holder changed that is worth a write: a newer reading of the same state is not. */
function sameHolder(a: HolderRecord, b: HolderRecord): boolean {
  return (
    a.subnet.text === b.subnet.text &&
    a.fact.state === b.fact.state &&
    a.missingSince === b.missingSince &&
    a.ttl === b.ttl &&
    (a.lost === null) === (b.lost === null)
  );
}
