/** What a change of the network configuration does to leases and tables. */
import { type Cidr, contains, overlaps } from './cidr.ts';
import { isHeld, type Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import { misfit, pairOf } from './subnet-pool.ts';

/**
 * Held leases that the new configuration has no place for and does not give up in `Retired` either: their routes would
 * stay without anybody who calls them his, and their nodes would be moved without anybody who said so.
 */
export function orphanedBy(config: NetworkConfig, leases: readonly Lease[]): Lease[] {
  return leases.filter(
    (lease) => isHeld(lease.state) && !partsOf(lease).every((part) => hasPlace(config, lease, part)),
  );
}

/** Each family for itself: switching IPv6 off leaves IPv6 routes behind. */
function partsOf({ subnet, ipv6Subnet }: Lease): Cidr[] {
  return ipv6Subnet === null ? [subnet] : [subnet, ipv6Subnet];
}

function hasPlace(config: NetworkConfig, lease: Lease, part: Cidr): boolean {
  return isRetired(config, part) || (isIn(config, lease, part) && !isProtected(config, part));
}

function isIn(config: NetworkConfig, { subnet }: Lease, part: Cidr): boolean {
  if (misfit(config, subnet) !== null) return false;
  const pair = pairOf(config, subnet);
  return part.text === pair.subnet.text || part.text === pair.ipv6Subnet?.text;
}

function isProtected(config: NetworkConfig, part: Cidr): boolean {
  return config.protected.some((block) => overlaps(block, part));
}

function isRetired(config: NetworkConfig, part: Cidr): boolean {
  return config.retired.some(
    ({ network, subnetLen }) => network !== null && contains(network, part) && subnetLen === part.length,
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
