/**
 * The plan for all route tables of a network, from one picture of the world. Pure: the functions, the CLI and the
 * tests all ask this one.
 */

import { type Chosen, type Limits, limitsOf } from './capacity.ts';
import { chosenLeases } from './chosen-leases.ts';
import { cutOffSubnets } from './cut-off.ts';
import { desiredRoutes, type Knowledge, routeKind, type SortedLeases, sortLeases } from './desired-routes.ts';
import { guard } from './guard.ts';
import { isForwarding, type Lease } from './lease.ts';
import { secondProblem } from './lease-parts.ts';
import type { NetworkConfig } from './network-config.ts';
import { rangesOf, retiredTablesOf, type Shielded } from './retired.ts';
import type { Route, RouteTable } from './route.ts';
import { type TablePlan, tablePlan } from './table-plan.ts';
import { guardInput, noKnowledge, type TableView } from './table-view.ts';

export interface PlanInput {
  readonly config: NetworkConfig;
  /** Every lease item, tombstones too. */
  readonly leases: readonly Lease[];
  /** As read; tables that the configuration does not list are ignored. */
  readonly tables: readonly RouteTable[];
  /** Instances that EC2 says are terminated. */
  readonly terminated?: ReadonlySet<string>;
  /** Subnets whose lease could not be read, in canonical text: their rows are left alone. */
  readonly unknown?: ReadonlySet<string>;
  /** Limits of single tables below the configuration's, learned from `RouteLimitExceeded`. */
  readonly limits?: ReadonlyMap<string, Partial<Limits>>;
  readonly force: string | null;
  /** What an earlier pass of the same force let through. */
  readonly forced?: readonly string[];
  /** The leases are older than what was last seen: hold every weak deletion. */
  readonly distrust?: boolean;
  /** Whether `tables` are all of the VPC's; false: some may not have been read. */
  readonly isWholeVpc?: boolean;
}

export interface NetworkPlan {
  readonly tables: readonly TablePlan[];
  readonly sorted: SortedLeases;
  /** VPC subnets of nodes that no listed table routes, with the table that each uses; null: not known. */
  readonly cutOff: ReadonlyMap<string, string | null>;
  readonly guard: {
    readonly refused: boolean;
    readonly digest: string | null;
    /** Held deletions that `force` let through. */
    readonly forced: readonly string[];
    readonly tables: ReadonlyMap<string, { readonly held: number; readonly ours: number }>;
  };
}

/** Ids of the tables that are planned, in the order of the configuration; retired ones last. */
export function plannedTableIds(config: NetworkConfig): string[] {
  const listed = config.backend.type === 'aws-vpc' ? config.backend.routeTableIds : [];
  return [...new Set([...listed, ...retiredTablesOf(config)])];
}

export function planNetwork(input: PlanInput): NetworkPlan {
  const { config } = input;
  const sorted = sortLeases(input.leases, config);
  const listed = new Set(config.backend.type === 'aws-vpc' ? config.backend.routeTableIds : []);
  const wanted = desiredRoutes(sorted.live, config);
  const byId = new Map(input.tables.map((table) => [table.id, table]));
  const shielded = shieldedSubnets(sorted, config, input.unknown ?? new Set());
  const views = plannedTableIds(config).map((id): TableView => {
    const ranges = rangesOf(id, config, shielded);
    const knowledge: Knowledge = { ranges, bySubnet: sorted.bySubnet, terminated: input.terminated ?? new Set() };
    return { id, table: byId.get(id) ?? null, wanted: listed.has(id) ? wanted : [], knowledge, config };
  });

  // Garbage does not depend on room, so it is guarded first; what is held back then takes its room.
  const guardPass = (chosen: Chosen | null) =>
    guard(
      views.flatMap((view) => guardInput(view, chosen)),
      {
        describe: (row: Route) => routeKind(noKnowledge).describe(row),
        force: input.force,
        forced: input.forced ?? [],
        distrust: input.distrust ?? false,
      },
    );
  const limitsIn = ({ id, table }: TableView) => limitsOf(table, config.routeLimit, input.limits?.get(id) ?? {});
  const chosen = chosenLeases(views, guardPass(null).tables, config, limitsIn);
  const verdict = guardPass(chosen);
  const guardedById = new Map(verdict.tables.map((table) => [table.id, table]));
  return {
    tables: views.map((view) => tablePlan(view, guardedById.get(view.id), chosen, limitsIn(view))),
    sorted,
    cutOff: cutOffSubnets(config, sorted.live, input.tables, input.isWholeVpc ?? false),
    guard: {
      refused: verdict.refused,
      digest: verdict.digest,
      forced: verdict.forced,
      tables: new Map(
        verdict.tables
          .filter((table) => table.held.length > 0)
          .map((table) => [table.id, { held: table.held.length, ours: table.ours }]),
      ),
    },
  };
}

/**
 * Rows of what is refused for what it says are left alone: repairing the lease repairs the rows. A lease that has no place
 * at all keeps them in retired ranges too, until its node has moved. One whose IPv6 part alone has none stays where it
 * is, so that the IPv6 rows of a range that was given up go.
 */
function shieldedSubnets(sorted: SortedLeases, config: NetworkConfig, unknown: ReadonlySet<string>): Shielded {
  // A subnet that a good lease holds is that lease's.
  const free = (subnets: readonly string[]) => subnets.filter((subnet) => !sorted.bySubnet.has(subnet));
  const moving = [...sorted.refused].flatMap(([{ subnet, ipv6Subnet, state }, { status }]) =>
    status === 'rejected' && isForwarding(state)
      ? [subnet.text, ...(ipv6Subnet === null ? [] : [ipv6Subnet.text])]
      : [],
  );
  const misplaced = sorted.live.flatMap((lease) =>
    lease.ipv6Subnet !== null && secondProblem(lease, config) !== null ? [lease.ipv6Subnet.text] : [],
  );
  const everywhere = [...unknown, ...free(moving)];
  return { inRetired: new Set(everywhere), inLive: new Set([...everywhere, ...free(misplaced)]) };
}
