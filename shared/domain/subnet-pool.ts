/** Which subnets of a network can be given away, as numbered places. */
import { type Cidr, cidrOf, contains, subnetAt, subnetIndex } from './cidr.ts';
import type { Span } from './free-index.ts';
import { isHeld, type Lease } from './lease.ts';
import type { FamilyConfig, NetworkConfig } from './network-config.ts';

/** What stands in the way of grants. */
export interface Obstacles {
  /** Destinations of foreign rows: a subnet that equals or contains one would conflict or be shadowed. */
  readonly foreign: readonly Cidr[];
  /** Subnets of items that cannot be read: somebody may hold them. */
  readonly unreadable: readonly Cidr[];
  /** Destinations of rows of ours that work: a subnet among them that has no item may be in use all the same. */
  readonly routed: readonly Cidr[];
}

export interface SubnetPair {
  readonly subnet: Cidr;
  /** Same index in its network; null unless the network has both families. */
  readonly ipv6Subnet: Cidr | null;
}

export function primaryFamily(config: NetworkConfig): FamilyConfig {
  const [family] = config.families;
  if (family === undefined) throw new Error('a network has at least one family');
  return family;
}

/** The subnet number `index` of the network, in every family. */
export function subnetPair(config: NetworkConfig, index: bigint): SubnetPair {
  const [first, second] = config.families.map((family) => subnetAt(family.network, family.subnetLen, index));
  if (first === undefined) throw new Error('a network has at least one family');
  return { subnet: first, ipv6Subnet: second ?? null };
}

/** What goes with a subnet of the network: its own pair. */
export function pairOf(config: NetworkConfig, subnet: Cidr): SubnetPair {
  return subnetPair(config, subnetIndex(primaryFamily(config).network, subnet));
}

/** The places between `SubnetMin` and `SubnetMax`. */
export function poolSpan(config: NetworkConfig): Span {
  const { network, subnetMin, subnetMax } = primaryFamily(config);
  return { first: subnetIndex(network, subnetMin), last: subnetIndex(network, subnetMax) };
}

/** Why `subnet` is none of the network's at all, or null: its length and range, whoever holds it. */
export function misfit(config: NetworkConfig, subnet: Cidr): string | null {
  const { network, subnetLen, subnetMin, subnetMax } = primaryFamily(config);
  if (!contains(network, subnet)) return `is not in the network ${network.text}`;
  if (subnet.length !== subnetLen) return `is not of the network's subnet length /${subnetLen}`;
  if (subnet.base < subnetMin.base || subnet.base > subnetMax.base) {
    return `is not between ${subnetMin.text} and ${subnetMax.text}`;
  }
  return null;
}

/** Places that are protected, conflicting, shadowed, unreadable, or under a held lease of another length. */
export function blockedSpans(
  config: NetworkConfig,
  leases: readonly Lease[],
  obstacles: Pick<Obstacles, 'foreign' | 'unreadable'>,
): Span[] {
  const blocks = [...config.protected, ...obstacles.unreadable];
  for (const lease of leases) {
    if (!isHeld(lease.state)) continue;
    blocks.push(lease.subnet);
    if (lease.ipv6Subnet !== null) blocks.push(lease.ipv6Subnet);
  }
  return config.families.flatMap((family) => [
    ...blocks.flatMap((block) => placesOver(family, block)),
    // A wider foreign row is less specific than ours and takes nothing from them.
    ...obstacles.foreign.filter((row) => row.length >= family.subnetLen).flatMap((row) => placesOver(family, row)),
  ]);
}

/** Places of rows, in whichever family. */
export function spansOf(config: NetworkConfig, rows: readonly Cidr[]): Span[] {
  return config.families.flatMap((family) => rows.flatMap((row) => placesOver(family, row)));
}

/** The places of the family's network that share an address with `block`. */
function placesOver({ network, subnetLen }: FamilyConfig, block: Cidr): Span[] {
  if (contains(block, network)) return [{ first: 0n, last: (1n << BigInt(subnetLen - network.length)) - 1n }];
  if (!contains(network, block)) return [];
  const first = subnetIndex(network, cidrOf(block.family, block.base, subnetLen));
  const more = block.length < subnetLen ? (1n << BigInt(subnetLen - block.length)) - 1n : 0n;
  return [{ first, last: first + more }];
}
