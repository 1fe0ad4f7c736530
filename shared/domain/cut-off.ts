/**
 * Nodes that others reach and that reach nobody: their VPC subnet uses a route table that the configuration does not list, so
 * that what they send to the network leaves by whatever else that table says, a NAT gateway mostly. A new zone whose table
 * nobody added looks like this. A fallback has paths of its own, and there it is no trouble.
 */
import type { Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import type { RouteTable } from './route.ts';

/** VPC subnets of leases that no listed table routes, with the table that each uses; null: not known. */
export function cutOffSubnets(
  config: Pick<NetworkConfig, 'backend'>,
  leases: readonly Lease[],
  tables: readonly RouteTable[],
  isWholeVpc: boolean,
): ReadonlyMap<string, string | null> {
  const { backend } = config;
  if (backend.type !== 'aws-vpc' || backend.fallback !== null) return new Map();
  const isListed = (table: RouteTable) => backend.routeTableIds.includes(table.id);
  const found = new Map<string, string | null>();
  // A listed table that is missing may be the one in question.
  const isComplete = tables.filter(isListed).length === backend.routeTableIds.length;
  for (const { subnetId, instanceId } of leases) {
    if (subnetId === null || instanceId === null || found.has(subnetId)) continue;
    const explicit = tables.find(({ subnetIds }) => subnetIds.includes(subnetId));
    if (explicit !== undefined) {
      if (!isListed(explicit)) found.set(subnetId, explicit.id);
    } else if (isComplete) {
      const used = unlistedMain(tables, isListed, isWholeVpc);
      if (used !== undefined) found.set(subnetId, used);
    }
  }
  return found;
}

/**
 * The table of subnets that no table names, if it is not listed; null: one that was not read. Undefined: it is listed, or the
 * tables came without a single association, and nothing is known.
 */
function unlistedMain(
  tables: readonly RouteTable[],
  isListed: (table: RouteTable) => boolean,
  isWholeVpc: boolean,
): string | null | undefined {
  const main = tables.find(({ isMain }) => isMain);
  if (main === undefined) return tables.some(({ subnetIds }) => subnetIds.length > 0) ? null : undefined;
  if (isListed(main)) return undefined;
  return isWholeVpc ? main.id : null;
}

const mark = 'its node reaches no other: ';

/** What to add to the reason of a lease; empty where its node is not cut off. */
export function cutOffReason({ subnetId }: Lease, cutOff: ReadonlyMap<string, string | null>): string {
  if (subnetId === null || !cutOff.has(subnetId)) return '';
  return `; ${mark}${cutOffText(subnetId, cutOff.get(subnetId) ?? null)}`;
}

export function cutOffText(subnetId: string, tableId: string | null): string {
  return tableId === null
    ? `${subnetId} uses none of the listed tables`
    : `${subnetId} uses ${tableId}, which is not listed`;
}

export function isCutOff({ reason }: { readonly reason: string }): boolean {
  return reason.includes(mark);
}
