/** One state-change event of EC2. */
import { holderBeside } from '../domain/grant.ts';
import {
  furtherFact,
  type InstanceState,
  isFinalLife,
  type LifeFact,
  laterFact,
  readingAge,
} from '../domain/instance-life.ts';
import { type LifeRules, lived } from '../domain/lease-life.ts';
import type { HolderRecord } from '../domain/lease-record.ts';
import { nextVersion } from '../domain/version.ts';
import type { Clock, Instances, LeaseBook } from './ports.ts';
import { readStoredConfig } from './working-book.ts';

export interface LifeEvent {
  readonly instanceId: string;
  readonly state: InstanceState;
  /** Epoch seconds, of the event itself. */
  readonly time: number;
}

export interface LifePorts {
  readonly book: LeaseBook;
  readonly ec2: Pick<Instances, 'describe'>;
  readonly clock: Clock;
}

/**
 * - `stranger`: no holder; one read was made.
 * - `older`: a later word of EC2 is known, or the same one.
 * - `noted`: the holder was written, its lease stays as it is.
 * - a lease state: what the lease became.
 */
export type LifeOutcome = 'stranger' | 'older' | 'noted' | 'released' | 'leaving' | 'withdrawn' | 'active';

/** Decisions that another writer may overtake before the event is left to Lambda's own retry. */
const attempts = 8;

/**
 * Applies an event by its own time. The end of a life needs nothing from EC2 but the id in the event.
 *
 * An event for an instance without a holder ends at one read, also when a claim of that instance is being granted at
 * this moment: the grant has just seen the instance alive in EC2, and should it have died in between, the next sweep
 * finds it listed as terminated. Writing something down for every stranger would be a write per instance of the account.
 *
 * An event that arrives more than a reading's age after its time is only a doorbell: what EC2 says now counts, if EC2
 * can be asked. So a stop that is delivered after the start, whose own event was lost or seen by a sweep alone, does not
 * withdraw a running node.
 *
 * @throws when the book fails, or when EC2 fails to settle two events of one second: Lambda calls again.
 */
export async function handleLifeEvent(ports: LifePorts, event: LifeEvent): Promise<LifeOutcome> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const holder = await ports.book.readHolder(event.instanceId);
    if (holder === null) return 'stranger';
    const fact = await factOf(ports, holder, event);
    if (fact === holder.fact) return 'older';
    const outcome = await tryApply(ports, holder, fact);
    if (outcome !== 'conflict') return outcome;
  }
  throw new Error(`the state ${event.state} of ${event.instanceId} was overtaken ${attempts} times`);
}

async function factOf(ports: LifePorts, holder: HolderRecord, event: LifeEvent): Promise<LifeFact> {
  const heard: LifeFact = { state: event.state, time: event.time };
  const later = laterFact(holder.fact, heard);
  if (later === holder.fact || isFinalLife(event.state) || event.state === holder.fact.state) {
    return later === 'ask-ec2' ? heard : later;
  }
  const readAt = Math.floor(ports.clock.now() / 1000) - readingAge;
  if (later !== 'ask-ec2' && event.time >= readAt) return heard;
  let seen: InstanceState | undefined;
  try {
    const [instance] = await ports.ec2.describe([event.instanceId]);
    seen = instance?.state;
  } catch (error) {
    if (later === 'ask-ec2') throw error;
  }
  if (seen === undefined) return later === 'ask-ec2' ? furtherFact(holder.fact, heard) : heard;
  if (seen === holder.fact.state && later === 'ask-ec2') return holder.fact;
  return { state: seen, time: Math.max(event.time, readAt) };
}

async function tryApply(ports: LifePorts, holder: HolderRecord, fact: LifeFact): Promise<LifeOutcome | 'conflict'> {
  const nowMs = ports.clock.now();
  const now = Math.floor(nowMs / 1000);
  const stored = await ports.book.readLease(holder.subnet);
  const lease = stored !== null && stored.instanceId === holder.instanceId ? stored : null;
  const next = lease && lived(lease, fact.state, await rulesFor(ports, fact), now);
  const isChanged = next !== null && next !== lease;
  const nextHolder: HolderRecord = {
    ...holderBeside(holder, next, now),
    fact,
    missingSince: null,
    version: nextVersion(holder.version, nowMs),
  };
  const result = await ports.book.commit({
    holders: [{ item: nextHolder, expected: holder.version }],
    ...(isChanged
      ? { leases: [{ item: { ...next, version: nextVersion(next.version, nowMs) }, expected: next.version }] }
      : {}),
  });
  if (result === 'conflict') return 'conflict';
  return isChanged ? (next.state as LifeOutcome) : 'noted';
}

/** The end of a life is the same under every configuration, and must not wait for one that can be read. */
async function rulesFor(ports: LifePorts, fact: LifeFact): Promise<LifeRules> {
  if (isFinalLife(fact.state)) return { whenStopped: 'withdraw', leaseSeconds: 0 };
  const { config, configProblem } = readStoredConfig((await ports.book.readConfig())?.text ?? null);
  if (config === null) throw new Error(configProblem);
  return config;
}
