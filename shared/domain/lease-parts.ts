/**
 * Which parts of a lease have a place in the network: its subnet in the first family, which is what it is known by, and
 * its subnet in the second one. Each is judged for itself: while a family is being switched on or off, or its range
 * changed, leases speak of the old configuration, and IPv4 goes on whatever the IPv6 part is.
 */
import type { Cidr } from './cidr.ts';
import { contains, overlaps, subnetIndex, tryParseCidr } from './cidr.ts';
import type { Lease } from './lease.ts';
import { subnetOf } from './lease.ts';
import type { MapLease } from './map.ts';
import type { FamilyConfig, NetworkConfig } from './network-config.ts';

type Parts = Pick<Lease, 'subnet' | 'ipv6Subnet'>;
type Rules = Pick<NetworkConfig, 'families' | 'protected'>;

/** Why the lease as a whole cannot be routed, or null. It has exactly the network's subnet length, so one key is unique. */
export function leaseProblem({ subnet }: Parts, config: Rules): string | null {
  const [primary] = config.families;
  return primary === undefined ? 'the network has no address family' : subnetProblem(subnet, primary, config);
}

/**
 * Why its subnet in the second family cannot be routed, or null: nothing is wrong either when the lease has none yet, or
 * when the network has no second family any more.
 */
export function secondProblem({ subnet, ipv6Subnet }: Parts, config: Rules): string | null {
  const [primary, secondary] = config.families;
  if (primary === undefined || secondary === undefined || ipv6Subnet === null) return null;
  const problem = subnetProblem(ipv6Subnet, secondary, config);
  if (problem !== null) return problem;
  if (subnetIndex(primary.network, subnet) === subnetIndex(secondary.network, ipv6Subnet)) return null;
  return `${ipv6Subnet.text} has not the same index in ${secondary.network.text} as ${subnet.text} in ${primary.network.text}`;
}

/** The subnets that have a place, in the order of the network's families: none when the lease itself has none. */
export function placedSubnets(lease: Parts, config: Rules): Cidr[] {
  if (leaseProblem(lease, config) !== null) return [];
  const families = secondProblem(lease, config) === null ? config.families : config.families.slice(0, 1);
  return families.flatMap(({ family }) => subnetOf(lease, family) ?? []);
}

/** The map's lease without an IPv6 part that has no place: nodes have no use for it, and may refuse the whole lease. */
export function withPlacedParts(lease: MapLease, config: Rules): MapLease {
  const [subnet, ipv6Subnet] = [tryParseCidr(lease.subnet), tryParseCidr(lease.ipv6Subnet)];
  if (subnet === null || ipv6Subnet === null) return lease;
  const isPlaced = config.families.length > 1 && secondProblem({ subnet, ipv6Subnet }, config) === null;
  return isPlaced ? lease : { ...lease, ipv6Subnet: null, ipv6RoutedIn: [] };
}

function subnetProblem(subnet: Cidr, family: FamilyConfig, config: Rules): string | null {
  if (!contains(family.network, subnet)) return `${subnet.text} is outside ${family.network.text}`;
  if (subnet.length !== family.subnetLen) return `${subnet.text} has not the subnet length ${family.subnetLen}`;
  const block = config.protected.find((candidate) => overlaps(candidate, subnet));
  return block === undefined ? null : `${subnet.text} is protected by ${block.text}`;
}
