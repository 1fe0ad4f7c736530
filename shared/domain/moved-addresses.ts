/** Node addresses that another machine has now. */
import type { AgentLease } from './read-map.ts';

/** The leases of each node address; usually one, two while an old lease is still leaving. */
export type Holders = ReadonlyMap<string, readonly AgentLease[]>;

/** Who has each address, and who had it last where nobody has. */
export function holdersOf(before: Holders, leases: readonly AgentLease[]): Holders {
  return new Map([...before, ...byAddress(leases)]);
}

/**
 * Addresses that a machine has now which had them not: another instance, or another ENI of the same one. The kernel keeps
 * the old MAC of such an address for seconds (measured: 15 s of total loss).
 */
export function movedAddresses(before: Holders, leases: readonly AgentLease[]): readonly string[] {
  return [...byAddress(leases)]
    .filter(([address, now]) => {
      const then = before.get(address);
      return then !== undefined && now.some((lease) => !then.some((holder) => sameMachine(holder, lease)));
    })
    .map(([address]) => address)
    .sort();
}

function byAddress(leases: readonly AgentLease[]): Map<string, AgentLease[]> {
  const holders = new Map<string, AgentLease[]>();
  for (const lease of leases) {
    for (const address of [lease.nodeIp, lease.nodeIpv6]) {
      if (address !== null) holders.set(address, [...(holders.get(address) ?? []), lease]);
    }
  }
  return holders;
}

function sameMachine(a: AgentLease, b: AgentLease): boolean {
  return a.instanceId === b.instanceId && (a.eniId === b.eniId || a.eniId === null || b.eniId === null);
}
