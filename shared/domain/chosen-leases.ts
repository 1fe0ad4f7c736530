/** Which leases' routes the tables of a network have room for, from what stands in them. */
import { type Chosen, chooseRoutes, countsAgainstQuota, type Limits } from './capacity.ts';
import type { Family } from './cidr.ts';
import type { Guarded } from './guard.ts';
import type { NetworkConfig } from './network-config.ts';
import { isOurs } from './ownership.ts';
import type { Route, RouteTable } from './route.ts';
import { noKnowledge, type TableView } from './table-view.ts';

export function chosenLeases(
  views: readonly TableView[],
  guarded: readonly Guarded<Route>[],
  config: NetworkConfig,
  limitsOf: (view: TableView) => Limits,
): Chosen {
  const hasFallback = config.backend.type === 'aws-vpc' && config.backend.fallback !== null;
  const heldBy = new Map(guarded.map((table) => [table.id, table.held]));
  const chosen = new Map<string, Set<string>>(views.map((view) => [view.id, new Set()]));
  for (const { family } of config.families) {
    const wantedOf = (view: TableView) => view.wanted.filter((route) => route.destination.family === family);
    const rooms = views.flatMap((view) => {
      if (view.table === null || view.wanted.length === 0) return [];
      const held = (heldBy.get(view.id) ?? []).filter((step) => step.row.destination?.family === family).length;
      return [
        {
          ...roomOf(view, view.table, family),
          capacity: limitsOf(view)[family] - foreignCount(view, view.table, family) - held,
        },
      ];
    });
    const wanted = wantedOf(views.find((view) => view.wanted.length > 0) ?? { ...emptyView, config });
    if (rooms.length === 0) continue;
    for (const [id, destinations] of chooseRoutes(wanted, rooms, hasFallback)) {
      for (const destination of destinations) chosen.get(id)?.add(destination);
    }
  }
  return chosen;
}

const emptyView: Omit<TableView, 'config'> = { id: '', table: null, wanted: [], knowledge: noKnowledge };

function roomOf(view: TableView, table: RouteTable, family: Family) {
  const present = new Set<string>();
  const taken = new Set<string>();
  const wanted = new Set(view.wanted.map((route) => route.destinationText));
  for (const row of table.routes) {
    if (row.destination?.family !== family || !wanted.has(row.destination.text)) continue;
    (isOurs(row, view.knowledge.ranges) ? present : taken).add(row.destination.text);
  }
  // A propagated route may repeat a destination that ours has: it takes nothing from us.
  for (const destination of present) taken.delete(destination);
  return { id: view.id, present, taken };
}

function foreignCount(view: TableView, table: RouteTable, family: Family): number {
  return table.routes.filter((row) => countsAgainstQuota(row, family) && !isOurs(row, view.knowledge.ranges)).length;
}
