/** Node addresses that another machine has now. */
import type { AgentLease } from './read-map.ts';

/**
 * Addresses whose holder changed between two maps: another instance, or another ENI of the same one. The kernel keeps the
 * old MAC of such an address for seconds (measured: 15 s of total loss).
 */
export function movedAddresses(before: readonly AgentLease[], after: readonly AgentLease[]): readonly string[] {
  const holders = new Map(before.flatMap((lease) => addressesOf(lease).map((address) => [address, lease])));
  const moved = after.flatMap((lease) =>
    addressesOf(lease).filter((address) => {
      const holder = holders.get(address);
      return holder !== undefined && !sameMachine(holder, lease);
    }),
  );
  return [...new Set(moved)].sort();
}

function addressesOf({ nodeIp, nodeIpv6 }: AgentLease): string[] {
  return [nodeIp, nodeIpv6].filter((address) => address !== null);
}

function sameMachine(a: AgentLease, b: AgentLease): boolean {
  return a.instanceId === b.instanceId && (a.eniId === b.eniId || a.eniId === null || b.eniId === null);
}
