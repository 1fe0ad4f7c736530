/** Commands that look: `list` and `show`; and which lease a command means. */

import { compareCidrs } from '../domain/cidr.ts';
import type { CommandOf, Target } from '../domain/command.ts';
import { targetOf } from '../domain/command.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { isHeld } from '../domain/lease.ts';
import { countByState, duplicatesOf } from '../domain/lease-counts.ts';
import { leaseDetailJson } from '../domain/lease-json.ts';
import type { HolderRecord, LeaseRecord } from '../domain/lease-record.ts';
import type { CommandPorts } from './command-ports.ts';
import { openBook, type WorkingBook } from './working-book.ts';

/** All leases by subnet, tombstones included unless `states` says otherwise. */
export async function listLeases({ network, book: store }: CommandPorts, { states }: CommandOf<'list'>) {
  const raw = await store.readAll();
  const book = openBook(raw);
  const leases = [...raw.leases].sort((a, b) => compareCidrs(a.subnet, b.subnet));
  return {
    network,
    counts: countByState(raw.leases),
    leases: leases.filter(({ state }) => states?.includes(state) ?? true).map((lease) => detail(book, lease)),
    duplicates: duplicatesOf(raw.leases),
    unreadable: raw.unreadable,
  };
}

/** One lease by its subnet, or all that an instance holds or held. */
export async function showLease({ book: store }: CommandPorts, command: CommandOf<'show'>) {
  const book = openBook(await store.readAll());
  const target = targetOf(command);
  const leases = [...book.leases.values()].filter((lease) => isMeant(lease, target));
  if (leases.length === 0) throw new InvalidInput(...missing(target, 'there is no lease, live or released'));
  return { leases: leases.map((lease) => detail(book, lease)) };
}

/** The held lease that is meant, and its holder. */
export function heldLease(
  book: WorkingBook,
  command: Parameters<typeof targetOf>[0],
): { lease: LeaseRecord; holder: HolderRecord | null } {
  const target = targetOf(command);
  const lease = [...book.leases.values()].find((one) => isHeld(one.state) && isMeant(one, target));
  if (lease === undefined) throw new InvalidInput(...missing(target, 'nobody holds a lease'));
  return { lease, holder: holderOf(book, lease) };
}

function holderOf(book: WorkingBook, lease: LeaseRecord): HolderRecord | null {
  return lease.instanceId === null ? null : (book.holders.get(lease.instanceId) ?? null);
}

function detail(book: WorkingBook, lease: LeaseRecord) {
  return leaseDetailJson(lease, holderOf(book, lease));
}

function isMeant(lease: LeaseRecord, target: Target): boolean {
  return 'subnet' in target ? lease.subnet.text === target.subnet.text : lease.instanceId === target.instanceId;
}

function missing(target: Target, problem: string): [string, string, string] {
  return 'subnet' in target ? ['subnet', target.subnet.text, problem] : ['instanceId', target.instanceId, problem];
}
