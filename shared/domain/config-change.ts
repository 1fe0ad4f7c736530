/** What a change of the network configuration does to leases and tables. */
import { contains, overlaps } from './cidr.ts';
import { isHeld, type Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import { misfit } from './subnet-pool.ts';

/**
 * Held leases that the new configuration has no place for and does not give up in `Retired` either: their routes would
 * stay without anybody who calls them his, and their nodes would be moved without anybody who said so.
 */
export function orphanedBy(config: NetworkConfig, leases: readonly Lease[]): Lease[] {
  return leases.filter((lease) => isHeld(lease.state) && !isRetired(config, lease) && !fits(config, lease));
}

function fits(config: NetworkConfig, { subnet }: Lease): boolean {
  return misfit(config, subnet) === null && !config.protected.some((block) => overlaps(block, subnet));
}

function isRetired(config: NetworkConfig, { subnet }: Lease): boolean {
  return config.retired.some(
    ({ network, subnetLen }) => network !== null && contains(network, subnet) && subnetLen === subnet.length,
  );
}

/** Tables of the old configuration that the new one neither lists nor gives up: their routes stay as they are. */
export function forgottenTables(before: NetworkConfig, after: NetworkConfig): string[] {
  const known = new Set(tablesOf(after));
  return tablesOf(before).filter((id) => !known.has(id));
}

function tablesOf({ backend, retired }: NetworkConfig): string[] {
  const listed = backend.type === 'aws-vpc' ? backend.routeTableIds : [];
  return [...listed, ...retired.flatMap(({ routeTableIds }) => routeTableIds)];
}
