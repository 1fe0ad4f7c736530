/** One table of a network beside what is wanted in it and known of its rows. */
import type { Chosen } from './capacity.ts';
import { type DesiredRoute, type Knowledge, routeKind } from './desired-routes.ts';
import type { NetworkConfig } from './network-config.ts';
import { isOurs } from './ownership.ts';
import { plan } from './plan.ts';
import { retiredRangesOf, retiredTablesOf } from './retired.ts';
import type { Route, RouteTable } from './route.ts';

/** One table as the plan looks at it. */
export interface TableView {
  readonly id: string;
  readonly table: RouteTable | null;
  readonly wanted: readonly DesiredRoute[];
  readonly knowledge: Knowledge;
  readonly config: NetworkConfig;
}

export const noKnowledge: Knowledge = { ranges: [], bySubnet: new Map(), terminated: new Set() };

/** The table's plan with some of the wanted routes, as the guard takes it; none for a table that is missing. */
export function guardInput(view: TableView, chosen: Chosen | null) {
  if (view.table === null) return [];
  const desired = view.wanted.filter((route) => isChosen(chosen, view.id, route));
  const result = plan<Route>(desired, view.table.routes, retiringKind(view));
  return [
    { id: view.id, plan: result, ours: view.table.routes.filter((row) => isOurs(row, view.knowledge.ranges)).length },
  ];
}

/** Rows that the configuration itself gives up are released by it: that is as strong as evidence gets. */
function retiringKind({ id, knowledge, config }: TableView) {
  const kind = routeKind(knowledge);
  const retired = retiredRangesOf(config, id);
  const tableIsRetired = retiredTablesOf(config).includes(id);
  return {
    ...kind,
    whyDelete: (row: Route) =>
      tableIsRetired || isOurs(row, retired)
        ? ({ reason: 'released', evidence: 'strong' } as const)
        : kind.whyDelete(row),
  };
}

export function isChosen(chosen: Chosen | null, tableId: string, route: DesiredRoute): boolean {
  if (chosen === null) return true;
  return chosen.get(tableId)?.has(route.destinationText) ?? false;
}
