/** The confirmations of routes between passes: settled ones are in the map, those under way in the sync's state. */
import type { DesiredRoute } from '../domain/desired-routes.ts';
import type { NetworkMap } from '../domain/map.ts';
import { nextHopId, type RouteTable } from '../domain/route.ts';
import { nextRouted, type RoutedEntry, type RoutedState, routedKey } from '../domain/routed-in.ts';

export function routedBefore(map: NetworkMap | null, underWay: Readonly<Record<string, RoutedEntry>>): RoutedState {
  const state = new Map<string, RoutedEntry>();
  for (const lease of map?.leases ?? []) {
    const settle = (destination: string, ids: readonly string[]) => {
      for (const id of ids) {
        state.set(routedKey(id, destination, lease.eniId ?? ''), { routed: true, changeSeenAt: null, leftAt: null });
      }
    };
    const isIpv6Alone = lease.subnet.includes(':');
    if (!isIpv6Alone) settle(lease.subnet, lease.routedIn);
    settle(isIpv6Alone ? lease.subnet : (lease.ipv6Subnet ?? ''), lease.ipv6RoutedIn);
  }
  for (const [key, entry] of Object.entries(underWay)) state.set(key, entry);
  return state;
}

/** Entries that do not follow from the map. */
export function underWay(state: RoutedState): Record<string, RoutedEntry> {
  return Object.fromEntries(
    [...state].filter(([, entry]) => !(entry.routed && entry.changeSeenAt === null && entry.leftAt === null)),
  );
}

export interface Wanted {
  readonly listedTableIds: readonly string[];
  readonly routes: readonly DesiredRoute[];
}

/** Whether some confirmation waits for a second reading. */
export function awaitsReading(state: RoutedState): boolean {
  return [...state.values()].some((entry) => entry.changeSeenAt !== null);
}

/** Whether some confirmed route was not in the last reading. */
export function lacksRoutes(state: RoutedState): boolean {
  return [...state.values()].some((entry) => entry.routed && entry.changeSeenAt !== null);
}

export function afterReading(
  state: RoutedState,
  wanted: Wanted,
  tables: readonly RouteTable[],
  at: number,
): RoutedState {
  const listed = tables.filter((table) => wanted.listedTableIds.includes(table.id));
  const active = new Set(
    listed.flatMap((table) =>
      table.routes
        .filter((route) => route.state === 'active' && route.nextHop.kind === 'eni')
        .map((route) =>
          routedKey(table.id, route.destination?.text ?? route.destinationText, nextHopId(route.nextHop)),
        ),
    ),
  );
  const keys = wanted.listedTableIds.flatMap((id) =>
    wanted.routes.map((route) => routedKey(id, route.destinationText, nextHopId(route.nextHop))),
  );
  return nextRouted(state, keys, { at, tables: new Set(listed.map((table) => table.id)), active });
}
