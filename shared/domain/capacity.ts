/**
 * Room in route tables: how many rows a table can still take, and which leases get them.
 *
 * The quota counts rows that somebody created (origin `CreateRoute`), whoever that was, IPv4 and IPv6 apart; local and
 * propagated rows do not count (Amazon VPC quotas, "Route tables").
 */
import type { Family } from './cidr.ts';
import { compareCidrs } from './cidr.ts';
import type { DesiredRoute } from './desired-routes.ts';
import type { DeleteStep, Step } from './plan.ts';
import { stepRow } from './plan.ts';
import type { Route, RouteTable } from './route.ts';

export function countsAgainstQuota(route: Route, family: Family): boolean {
  if (route.origin !== 'CreateRoute') return false;
  // The family and the size of a prefix list are not in the route; one row in both families is the least it can be.
  return route.destination === null || route.destination.family === family;
}

export function countedRows(table: RouteTable, family: Family): number {
  return table.routes.filter((route) => countsAgainstQuota(route, family)).length;
}

/** Rows that a table takes, of each family: EC2 counts them apart. */
export type Limits = Readonly<Record<Family, number>>;

/**
 * The configured limit, lowered by what `RouteLimitExceeded` taught. A table that holds more than it was said to take
 * shows that the quota was raised since; no route goes because of a limit that is disproved.
 */
export function limitsOf(table: RouteTable | null, configured: number, learned: Partial<Limits>): Limits {
  const of = (family: Family): number => {
    const rows = learned[family];
    if (rows === undefined) return configured;
    return Math.min(configured, Math.max(rows, table === null ? 0 : countedRows(table, family)));
  };
  return { ipv4: of('ipv4'), ipv6: of('ipv6') };
}

/** One table as the choice of leases sees it. */
export interface TableRoom {
  readonly id: string;
  /** Rows left for leases: the limit less foreign rows and rows that the guard holds back. */
  readonly capacity: number;
  /** Wanted destinations that the table already routes. */
  readonly present: ReadonlySet<string>;
  /** Wanted destinations that a foreign row holds: they take no room of ours. */
  readonly taken: ReadonlySet<string>;
}

/** Which wanted routes each table gets, by table id: destinations in canonical text. */
export type Chosen = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Without a fallback each table holds what fits: what it has first, so that no working route goes, then the older
 * lease, then the lower subnet.
 *
 * With a fallback the set is one for all tables, because a path over the VPC needs the route in the tables of both
 * ends: as many as the fullest table has room for, first leases that most tables have.
 */
export function chooseRoutes(
  wanted: readonly DesiredRoute[],
  tables: readonly TableRoom[],
  hasFallback: boolean,
): Chosen {
  if (hasFallback) {
    const room = Math.max(0, Math.min(...tables.map((table) => table.capacity)));
    const presence = (route: DesiredRoute) => tables.filter((table) => table.present.has(route.destinationText)).length;
    const chosen = new Set(first(wanted, room, presence));
    return new Map(tables.map((table) => [table.id, chosen]));
  }
  return new Map(
    tables.map((table) => {
      const candidates = wanted.filter((route) => !table.taken.has(route.destinationText));
      const presence = (route: DesiredRoute) => (table.present.has(route.destinationText) ? 1 : 0);
      return [table.id, new Set(first(candidates, Math.max(0, table.capacity), presence))];
    }),
  );
}

function first(wanted: readonly DesiredRoute[], room: number, presence: (route: DesiredRoute) => number): string[] {
  if (wanted.length <= room) return wanted.map((route) => route.destinationText);
  return wanted
    .map((route) => ({ route, presence: presence(route) }))
    .sort(
      (a, b) =>
        b.presence - a.presence ||
        a.route.lease.acquiredAt - b.route.lease.acquiredAt ||
        compareCidrs(a.route.destination, b.route.destination),
    )
    .slice(0, room)
    .map(({ route }) => route.destinationText);
}

/**
 * Puts steps into the order in which they fit: repairs take no room and come first; a create that finds the table full
 * is preceded by deletes of its family, so that exactly as much garbage goes first as is needed.
 */
export function inRoomOrder(steps: readonly Step<Route>[], free: Readonly<Record<Family, number>>): Step<Route>[] {
  const left = { ...free };
  const ordered: Step<Route>[] = steps.filter((step) => step.action === 'replace');
  const deletes = steps.filter((step) => step.action === 'delete').sort(strongFirst);
  for (const step of steps) {
    if (step.action !== 'create') continue;
    const family = familyOf(step);
    // One is enough in a full table; one that is beyond its limit, which was lowered, must shrink below it first.
    while (left[family] <= 0) {
      const at = deletes.findIndex((candidate) => familyOf(candidate) === family);
      if (at < 0) break;
      ordered.push(...deletes.splice(at, 1));
      left[family] += 1;
    }
    ordered.push(step);
    left[family] -= 1;
  }
  return [...ordered, ...deletes];
}

/** A live lease's route goes last: its peers must first learn that it will. */
function strongFirst(a: DeleteStep<Route>, b: DeleteStep<Route>): number {
  const rank = (step: DeleteStep<Route>) => (step.reason === 'overflow' ? 2 : step.evidence === 'weak' ? 1 : 0);
  return rank(a) - rank(b);
}

function familyOf(step: Step<Route>): Family {
  return stepRow(step).destination?.family ?? 'ipv4';
}
