/**
 * The one predicate that tells our VPC routes from everybody else's, with no memory of the past: after a crash, a
 * restore or a new deployment the same rows are ours as before.
 */
import type { Cidr } from './cidr.ts';
import { contains, overlaps } from './cidr.ts';
import type { NetworkConfig } from './network-config.ts';
import type { Route } from './route.ts';

/** A range in which rows of one prefix length are ours. */
export interface ManagedRange {
  readonly network: Cidr;
  readonly subnetLen: number;
  /** Rows that overlap one of these are foreign, whatever their form. */
  readonly protected: readonly Cidr[];
  /** Destinations in canonical text of which nothing is known: a row of exactly one of them is nobody's. */
  readonly unknown?: ReadonlySet<string>;
}

/** The network's own ranges, one a family. */
export function managedRanges(config: NetworkConfig): ManagedRange[] {
  return config.families.map(({ network, subnetLen }) => ({ network, subnetLen, protected: config.protected }));
}

/**
 * Ours: of origin `CreateRoute`, inside a managed range, of exactly its prefix length, next hop an ENI or an instance
 * or, as a blackhole, no id at all. A row of another length inside the range is somebody's exception and stays.
 */
export function isOurs(route: Route, ranges: readonly ManagedRange[]): boolean {
  const { destination } = route;
  if (route.origin !== 'CreateRoute' || destination === null || !hasOurNextHop(route)) return false;
  return ranges.some(
    (range) =>
      destination.length === range.subnetLen &&
      contains(range.network, destination) &&
      !range.protected.some((block) => overlaps(block, destination)) &&
      range.unknown?.has(destination.text) !== true,
  );
}

function hasOurNextHop({ nextHop, state }: Route): boolean {
  switch (nextHop.kind) {
    case 'eni':
    case 'instance':
      // `filtered` is the route server's word for a row it keeps out of use.
      return state === 'active' || state === 'blackhole';
    case 'none':
      return state === 'blackhole';
    case 'other':
      return false;
  }
}
