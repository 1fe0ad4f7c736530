/** The sweep: what events did not say. It reads EC2 by filter and brings every lease up to it. */
import { isAlive, readingAge } from '../domain/instance-life.ts';
import { isHeld, type LeaseState } from '../domain/lease.ts';
import { countByState, duplicatesOf } from '../domain/lease-counts.ts';
import type { LeaseRecord } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { needsCheckOff } from '../domain/segment.ts';
import { type Ec2Reading, leaseInterface } from './lease-interface.ts';
import type { Clock, Instances, LeaseBook, Transaction } from './ports.ts';
import { switchChecksOff } from './source-dest-check.ts';
import { type Reading, type Swept, sweptLease } from './swept-lease.ts';
import { openBook, type WorkingBook, withCommitted } from './working-book.ts';

export interface SweepPorts {
  readonly book: LeaseBook;
  readonly ec2: Instances;
  readonly clock: Clock;
}

export interface SweepReport {
  /** Why nothing was changed: EC2 or the configuration cannot be read; null: it went through. */
  readonly problem: string | null;
  /** Leases by state, after it. */
  readonly leases: Readonly<Record<LeaseState, number>>;
  /** What must not be: see `duplicatesOf`. */
  readonly duplicates: readonly string[];
  /** Sort keys of items that do not validate, with the problem. */
  readonly unreadable: readonly string[];
  /** Leases whose item changed, with the state they have now. */
  readonly changed: readonly { readonly subnet: string; readonly state: LeaseState }[];
  /** Instances with a lease that EC2 did not list. */
  readonly missing: readonly string[];
  /** Why interfaces of leases do not forward: their check is on, or they are somewhere else and the node has no other. */
  readonly checkProblems: readonly string[];
  /** Leases that somebody else wrote meanwhile; the next sweep looks again. */
  readonly overtaken: number;
  /** Writes that failed; the next sweep makes them. */
  readonly errors: readonly unknown[];
}

/** @throws only when the book cannot be read. A failed or partial reading of EC2 changes nothing. */
export async function sweep(ports: SweepPorts): Promise<SweepReport> {
  const raw = await ports.book.readAll();
  let book = openBook(raw);
  const held = raw.leases.filter((lease) => isHeld(lease.state));
  const report = {
    problem: null,
    duplicates: duplicatesOf(raw.leases),
    unreadable: raw.unreadable.map(({ sortKey, problem }) => `${sortKey}: ${problem}`),
    changed: [] as { subnet: string; state: LeaseState }[],
    missing: [] as string[],
    checkProblems: [] as readonly string[],
    overtaken: 0,
    errors: [] as unknown[],
  };
  const finished = (problem: string | null) => ({
    ...report,
    problem,
    leases: countByState([...book.leases.values()]),
  });
  if (book.config === null) return finished(book.configProblem);
  const { config } = book;

  let reading: Reading & { checkProblems: readonly string[] };
  try {
    reading = await readEc2(ports, held, config);
  } catch (error) {
    return finished(`EC2 cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  report.checkProblems = reading.checkProblems;
  for (const lease of held) {
    if (lease.instanceId !== null && !reading.instances.has(lease.instanceId)) report.missing.push(lease.instanceId);
    const holder = lease.instanceId === null ? null : (book.holders.get(lease.instanceId) ?? null);
    const swept = sweptLease(lease, holder, reading, config, ports.clock.now());
    const transaction = transactionOf(book, lease, swept);
    if (transaction === null) continue;
    try {
      if ((await ports.book.commit(transaction)) === 'conflict') {
        report.overtaken += 1;
        continue;
      }
      book = withCommitted(book, transaction);
      if (swept.lease !== lease) report.changed.push({ subnet: lease.subnet.text, state: swept.lease.state });
    } catch (error) {
      report.errors.push(error);
    }
  }
  return finished(null);
}

async function readEc2(
  { ec2, clock }: SweepPorts,
  held: readonly LeaseRecord[],
  config: NetworkConfig,
): Promise<Reading & { checkProblems: readonly string[] }> {
  const readAt = Math.floor(clock.now() / 1000) - readingAge;
  const instances = await ec2.describe([...new Set(held.flatMap(({ instanceId }) => instanceId ?? []))].sort());
  const interfaces = await ec2.describeInterfaces([...new Set(held.map(({ eniId }) => eniId))].sort());
  const reading = {
    instances: new Map(instances.map((instance) => [instance.instanceId, instance])),
    interfaces: new Map(interfaces.map((eni) => [eni.eniId, eni])),
  };
  const enis = held.flatMap((lease) => leaseInterface(lease, reading) ?? []);
  const checks = await switchChecksOff({ ec2, clock }, enis, needsCheckOff(config));
  return {
    ...reading,
    checksOff: checks.off,
    checkProblems: [...checks.problems.values(), ...elsewhere(held, reading)],
    readAt,
    listsAny: instances.length > 0,
  };
}

/**
 * Leases whose interface was taken from their instance while it runs, and that cannot go to another one of it. EC2 goes on
 * routing to the interface. A detached one is a blackhole as well, which the sync reports.
 */
function elsewhere(held: readonly LeaseRecord[], reading: Ec2Reading): string[] {
  const { instances, interfaces } = reading;
  return held.flatMap((lease) => {
    const { subnet, eniId, instanceId } = lease;
    if (leaseInterface(lease, reading) !== null) return [];
    const eni = interfaces.get(eniId);
    const state = instanceId === null ? undefined : instances.get(instanceId)?.state;
    if (eni === undefined || state === undefined || !isAlive(state) || eni.instanceId === instanceId) return [];
    const where = `${eniId} is attached to ${eni.instanceId ?? 'nothing'} instead of ${instanceId}`;
    return [`${where}: packets to ${subnet.text} do not reach its containers`];
  });
}

function transactionOf(book: WorkingBook, lease: LeaseRecord, swept: Swept): Transaction | null {
  const holder = swept.holder === null ? null : (book.holders.get(swept.holder.instanceId) ?? null);
  const writesHolder =
    swept.holder !== null && swept.holder !== holder && !book.unreadableHolders.has(swept.holder.instanceId);
  if (swept.lease === lease && !writesHolder) return null;
  return {
    ...(swept.lease === lease ? {} : { leases: [{ item: swept.lease, expected: lease.version }] }),
    ...(writesHolder ? { holders: [{ item: swept.holder, expected: holder?.version ?? null }] } : {}),
  };
}
