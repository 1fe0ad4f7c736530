/** What route tables do with packets to one address, whoever's the row is that takes them. */
import { type Cidr, contains } from './cidr.ts';
import type { NetworkConfig } from './network-config.ts';
import { isOurs } from './ownership.ts';
import { rangesOf } from './retired.ts';
import { nextHopId, type Route, type RouteTable } from './route.ts';

export interface MatchingRow {
  readonly destination: string;
  /** Id as AWS prints it, `blackhole` where it gives none. */
  readonly nextHop: string;
  /** As AWS prints it: `active` or `blackhole`. */
  readonly state: string;
  readonly isOurs: boolean;
}

export interface Match {
  /** Null: no row takes them, so they are dropped. */
  readonly row: MatchingRow | null;
  /** Destinations that are prefix lists: what is in them is not known here, and it may be the address. */
  readonly prefixLists: readonly string[];
}

/** By table id. `host`: an address as a block of its own, or a block that a row has to hold as a whole. */
export function matchesOf(
  host: Cidr,
  tables: readonly RouteTable[],
  config: NetworkConfig,
): Readonly<Record<string, Match>> {
  return Object.fromEntries(tables.map((table) => [table.id, matchIn(host, table, config)]));
}

function matchIn(host: Cidr, { id, routes }: RouteTable, config: NetworkConfig): Match {
  // The route server keeps filtered rows out of use.
  const [best] = routes.filter((row) => row.state !== 'filtered' && holds(row, host)).sort(byPriority);
  return {
    row:
      best === undefined
        ? null
        : {
            destination: best.destinationText,
            nextHop: nextHopId(best.nextHop),
            state: best.state,
            isOurs: isOurs(best, rangesOf(id, config)),
          },
    prefixLists: routes.flatMap((row) => (row.destinationText.startsWith('pl-') ? [row.destinationText] : [])),
  };
}

function holds({ destination }: Route, host: Cidr): boolean {
  return destination !== null && contains(destination, host);
}

/** The longest prefix; of one destination a static row before a propagated one (VPC user guide, "Route priority"). */
function byPriority(a: Route, b: Route): number {
  return (
    (b.destination?.length ?? 0) - (a.destination?.length ?? 0) || Number(isPropagated(a)) - Number(isPropagated(b))
  );
}

function isPropagated({ origin }: Route): boolean {
  return origin === 'EnableVgwRoutePropagation';
}
