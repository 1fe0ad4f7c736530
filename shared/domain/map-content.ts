/** From leases, tables and confirmations to the content of the next map. */
import { compareCidrs } from './cidr.ts';
import { digestOf } from './digest.ts';
import { exceedsBound } from './guard.ts';
import { isHeld, type Lease } from './lease.ts';
import { forwardingJson } from './lease-json.ts';
import { withPlacedParts } from './lease-parts.ts';
import type { MapContent, MapLease, MapTable } from './map.ts';
import type { NetworkConfig } from './network-config.ts';
import type { RouteTable } from './route.ts';
import { type RoutedState, routedKey } from './routed-in.ts';

export interface MapInput {
  readonly network: string;
  readonly config: unknown;
  /** What of it says which parts of a lease have a place. */
  readonly rules: Pick<NetworkConfig, 'families' | 'protected'>;
  readonly previous: MapContent | null;
  /** Every lease item, tombstones too. */
  readonly leases: readonly Lease[];
  /** Leases that may not be routed (`sortLeases`): they are not in the map. */
  readonly refused: ReadonlySet<Lease>;
  /** Sort keys of items that could not be read: nothing is concluded about them. */
  readonly unreadable: ReadonlySet<string>;
  readonly listedTableIds: readonly string[];
  /** All tables of the VPC; null: they could not be read, and what the map says of them stays. */
  readonly tables: readonly RouteTable[] | null;
  /** Whether these are all tables of the VPC: else it is not known which subnets use the main table. */
  readonly isWholeVpc: boolean;
  /** Listed tables that were complete at least once. */
  readonly filled: ReadonlySet<string>;
  readonly routed: RoutedState;
  /** The leases are older than what was last seen: none that vanished is dropped. */
  readonly distrust: boolean;
  /** Digest of held deletions that an operator lets through: of routes, or of the map alone. */
  readonly force: string | null;
  /** Whether `force` was the digest of held routes: what held them holds nothing in the map either. */
  readonly isForced: boolean;
}

export interface MapResult {
  readonly content: MapContent;
  /** Leases that vanished without a trace and keep their last value. */
  readonly held: readonly MapLease[];
  /** Names exactly this set of held leases; null when nothing is held. */
  readonly digest: string | null;
  /** Whether `force` was the digest of leases that would be held. */
  readonly isForced: boolean;
}

/**
 * A lease that is gone without a tombstone, or merely expired, leaves the map weakly. Beyond the guard's bound these
 * keep their last value: an emptied lease table must not empty the nodes' tables.
 */
export function mapContent(input: MapInput): MapResult {
  const known = new Map(input.leases.map((lease) => [lease.subnet.text, lease]));
  const shown = input.leases.filter((lease) => isHeld(lease.state) && !input.refused.has(lease));
  const current = shown.sort((a, b) => compareCidrs(a.subnet, b.subnet)).map((lease) => mapLease(lease, input));
  const currentSubnets = new Set(current.map((lease) => lease.subnet));
  const before = input.previous?.leases ?? [];
  const gone = before.filter((lease) => !currentSubnets.has(lease.subnet));
  const unknown = gone.filter((lease) => input.unreadable.has(`lease#${lease.subnet}`));
  const weak = gone.filter((lease) => isWeaklyGone(known.get(lease.subnet)) && !unknown.includes(lease));
  const hold = input.distrust ? weak.length > 0 : exceedsBound(weak.length, before.length);
  const digest = hold ? digestOf(`map\n${weak.map((lease) => lease.subnet).join('\n')}`) : null;
  const isForced = digest !== null && input.force === digest;
  const held = hold && !input.isForced && !isForced ? weak : [];
  const leases = [...current, ...held, ...unknown].map((lease) => withPlacedParts(lease, input.rules));
  return {
    content: {
      network: input.network,
      config: input.config,
      tables: mapTables(input, leases),
      leases: leases.sort((a, b) => (a.subnet < b.subnet ? -1 : a.subnet > b.subnet ? 1 : 0)),
    },
    held,
    digest: held.length > 0 ? digest : null,
    isForced,
  };
}

function isWeaklyGone(lease: Lease | undefined): boolean {
  return lease === undefined || lease.state === 'expired';
}

function mapLease(lease: Lease, input: MapInput): MapLease {
  const routedIn = (destination: string | undefined): string[] =>
    destination === undefined
      ? []
      : input.listedTableIds
          .filter((id) => input.routed.get(routedKey(id, destination, lease.eniId))?.routed === true)
          .sort();
  const [first, second] = lease.subnet.family === 'ipv4' ? [lease.subnet, lease.ipv6Subnet] : [null, lease.subnet];
  return {
    ...forwardingJson(lease),
    routedIn: routedIn(first?.text),
    ipv6RoutedIn: routedIn(second?.text),
  };
}

/**
 * A subnet's table is its explicit association, else the main table. Implicit associations are not listed by EC2, so
 * the main table gets those subnets of leases that no table names.
 */
function mapTables(input: MapInput, leases: readonly MapLease[]): MapTable[] {
  const { tables } = input;
  if (tables === null) return [...(input.previous?.tables ?? [])];
  const explicit = new Set(tables.flatMap((table) => table.subnetIds));
  const implicit = leases.flatMap(({ subnetId }) => (subnetId === null || explicit.has(subnetId) ? [] : [subnetId]));
  const previous = new Map((input.previous?.tables ?? []).map((table) => [table.id, table]));
  return input.listedTableIds.map((id) => {
    const table = tables.find((candidate) => candidate.id === id);
    const filling = !input.filled.has(id);
    // A table that one reading does not list keeps its subnets: the reading may be older than the table.
    if (table === undefined) return { id, subnets: previous.get(id)?.subnets ?? [], filling };
    const subnets = table.isMain && input.isWholeVpc ? [...table.subnetIds, ...implicit] : table.subnetIds;
    return { id, subnets: [...new Set(subnets)].sort(), filling };
  });
}

/** Whether two contents say the same, so that nothing has to be published. */
export function sameContent(a: MapContent, b: MapContent): boolean {
  return canonical(a) === canonical(b);
}

/** Member order is not content: a store may give members back in another one. */
function canonical({ network, config, tables, leases }: MapContent): string {
  return JSON.stringify([
    network,
    sorted(config),
    tables.map(({ id, subnets, filling }) => [id, subnets, filling]),
    leases.map((lease) => sorted(lease)),
  ]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => [key, sorted(member)]);
}
