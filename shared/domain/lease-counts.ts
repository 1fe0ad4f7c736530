/** What a set of leases looks like from above: for metrics, alarms and lists. */
import { overlaps } from './cidr.ts';
import { isHeld, type Lease, type LeaseState, leaseStates } from './lease.ts';

export function countByState(leases: readonly Pick<Lease, 'state'>[]): Record<LeaseState, number> {
  const counts = Object.fromEntries(leaseStates.map((state) => [state, 0])) as Record<LeaseState, number>;
  for (const { state } of leases) counts[state] += 1;
  return counts;
}

/**
 * Pairs of held leases that must not be, one line each: two of one instance, two that share addresses, two of one tunnel
 * MAC. The keeper's transactions never make them; a restored backup or a hand in the table can.
 */
export function duplicatesOf(leases: readonly Lease[]): string[] {
  const held = leases.filter((lease) => isHeld(lease.state));
  const found: string[] = [];
  const seen = new Map<string, Lease>();
  for (const lease of held) {
    for (const [what, id] of [
      ['instance', lease.instanceId],
      ['tunnel MAC', lease.vtepMac],
    ]) {
      if (id === null) continue;
      const other = seen.get(`${what} ${id}`);
      if (other !== undefined) found.push(`${what} ${id} has ${other.subnet.text} and ${lease.subnet.text}`);
      else seen.set(`${what} ${id}`, lease);
    }
  }
  return [...found, ...overlapsOf(held)].sort();
}

/** Sorted by their first address, blocks can only overlap one that began before and has not ended. */
function overlapsOf(held: readonly Lease[]): string[] {
  const blocks = held
    .flatMap((lease) =>
      [lease.subnet, ...(lease.ipv6Subnet === null ? [] : [lease.ipv6Subnet])].map((cidr) => ({ lease, cidr })),
    )
    .sort((a, b) => (a.cidr.base < b.cidr.base ? -1 : a.cidr.base > b.cidr.base ? 1 : a.cidr.length - b.cidr.length));
  const found: string[] = [];
  let open: typeof blocks = [];
  for (const block of blocks) {
    open = open.filter(({ cidr }) => overlaps(cidr, block.cidr));
    for (const { lease, cidr } of open) {
      const holders = `${lease.instanceId ?? lease.eniId} and ${block.lease.instanceId ?? block.lease.eniId}`;
      found.push(`${block.cidr.text} of ${holders} overlaps ${cidr.text}`);
    }
    open.push(block);
  }
  return found;
}
