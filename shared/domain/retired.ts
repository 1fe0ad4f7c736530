/** Ranges and tables that were given up: planned with nothing desired until they are empty. */
import { tryParseCidr } from './cidr.ts';
import type { NetworkConfig } from './network-config.ts';
import { type ManagedRange, managedRanges } from './ownership.ts';

/** Tables that a retired entry names and the backend does not list: an entry may give up a range in a listed one. */
export function retiredTablesOf({ backend, retired }: NetworkConfig): string[] {
  const listed = backend.type === 'aws-vpc' ? backend.routeTableIds : [];
  return retired.flatMap((entry) => entry.routeTableIds).filter((id) => !listed.includes(id));
}

/** Retired ranges that count in one table. An entry without a table counts in every planned one. */
export function retiredRangesOf(config: NetworkConfig, tableId: string): ManagedRange[] {
  return config.retired.flatMap((entry): ManagedRange[] => {
    if (entry.routeTableIds.length > 0 && !entry.routeTableIds.includes(tableId)) return [];
    if (entry.network === null || entry.subnetLen === null) {
      // The network's own ranges in a table that is still listed stay live.
      const isListed = config.backend.type === 'aws-vpc' && config.backend.routeTableIds.includes(tableId);
      return isListed ? [] : managedRanges(config);
    }
    return [{ network: entry.network, subnetLen: entry.subnetLen, protected: config.protected }];
  });
}

/** Subnets, in canonical text, whose rows are nobody's: nothing is concluded about them. */
export interface Shielded {
  readonly inLive: ReadonlySet<string>;
  readonly inRetired: ReadonlySet<string>;
}

const nothing: Shielded = { inLive: new Set(), inRetired: new Set() };

/**
 * Every range whose rows are ours in one table: the network's own and the retired ones. Shielded subnets are exact, and
 * shield no row beside them: one lease that says 10.244.0.0/16 must not stop the repair of all others.
 */
export function rangesOf(tableId: string, config: NetworkConfig, shielded: Shielded = nothing): ManagedRange[] {
  const besides = (ranges: readonly ManagedRange[], subnets: ReadonlySet<string>) => {
    const unknown = new Set([...subnets].map((text) => tryParseCidr(text)?.text ?? text));
    return ranges.map((range) => ({ ...range, unknown }));
  };
  return [
    ...besides(managedRanges(config), shielded.inLive),
    ...besides(retiredRangesOf(config, tableId), shielded.inRetired),
  ];
}
