/**
 * A network plan as the JSON that `leaseway plan --json` prints and every resync report carries. A contract with other
 * programs: members keep their order, so the same world gives the same bytes.
 */
import type { NetworkConfig } from './network-config.ts';
import type { NetworkPlan } from './network-plan.ts';
import type { Reason, Step } from './plan.ts';
import { type LeaseStatus, statusOfLeases } from './render-lease-status.ts';
import { detailOf } from './render-step.ts';
import { nextHopId, type Route } from './route.ts';
import type { TablePlan } from './table-plan.ts';
import type { SpeltLease } from './world.ts';

export interface PlannedStep {
  readonly action: 'create' | 'replace' | 'delete';
  readonly destination: string;
  /** Id as AWS prints it; null for a delete. */
  readonly nextHop: string | null;
  /** The next hop before; null for a create, `blackhole` where AWS gives no id. */
  readonly was: string | null;
  readonly reason: Reason;
  /** The reason as a sentence. */
  readonly detail: string;
}

/** A row of somebody else that is in the way. */
export interface ForeignRow {
  readonly destination: string;
  readonly nextHop: string;
}

export interface PlannedTable {
  readonly status: 'ok' | 'missing';
  /** In the order in which they are carried out. */
  readonly steps: readonly PlannedStep[];
  readonly kept: number;
  /** How many rows are not ours. */
  readonly foreign: number;
  /** Foreign rows that hold a wanted destination. */
  readonly conflicts: readonly ForeignRow[];
  /** Foreign rows inside a lease's subnet. */
  readonly shadows: readonly ForeignRow[];
  /** Steps that the guard holds back. */
  readonly held: readonly PlannedStep[];
  /** Rows that the table can take after the plan. */
  readonly room: number;
  /** Rows beyond its limit after the plan, one that was lowered or taken by other people's rows; absent where none are. */
  readonly over?: number;
}

export interface PlanJson {
  readonly tables: Readonly<Record<string, PlannedTable>>;
  /** By the lease's subnet as it is spelt where it was read. */
  readonly leases: Readonly<Record<string, LeaseStatus>>;
  readonly guard: {
    readonly refused: boolean;
    readonly digest: string | null;
    readonly tables: Readonly<Record<string, { readonly held: number; readonly ours: number }>>;
  };
}

/** `leases` are all leases that were planned from, tombstones too, the same objects. */
export function planJson(plan: NetworkPlan, leases: readonly SpeltLease[], config: NetworkConfig): PlanJson {
  return {
    tables: Object.fromEntries(plan.tables.map((table) => [table.id, plannedTable(table, plan)])),
    leases: statusOfLeases(plan, leases, config),
    guard: {
      refused: plan.guard.refused,
      digest: plan.guard.digest,
      tables: Object.fromEntries([...plan.guard.tables].map(([id, { held, ours }]) => [id, { held, ours }])),
    },
  };
}

/** How many steps would be carried out. */
export function stepCount(plan: PlanJson): number {
  return Object.values(plan.tables).reduce((sum, table) => sum + table.steps.length, 0);
}

function plannedTable(table: TablePlan, plan: NetworkPlan): PlannedTable {
  const stepOf = (step: Step<Route>) => plannedStep(step, plan);
  return {
    status: table.status,
    steps: table.steps.map(stepOf),
    kept: table.kept.length,
    foreign: table.foreign,
    conflicts: foreignRows(table.conflicts.map(({ holder }) => holder)),
    shadows: foreignRows(table.shadows.map(({ row }) => row)),
    held: table.held.map(stepOf),
    room: Math.max(0, table.room),
    ...(table.room < 0 ? { over: -table.room } : {}),
  };
}

function plannedStep(step: Step<Route>, plan: NetworkPlan): PlannedStep {
  const { action, reason } = step;
  const row = step.action === 'replace' ? step.to : step.row;
  const before = step.action === 'replace' ? step.from : step.action === 'delete' ? step.row : null;
  return {
    action,
    destination: row.destinationText,
    nextHop: step.action === 'delete' ? null : nextHopId(row.nextHop),
    was: before === null ? null : nextHopId(before.nextHop),
    reason,
    detail: detailOf(step, plan.sorted.bySubnet),
  };
}

function foreignRows(rows: readonly Route[]): ForeignRow[] {
  return rows.map((row) => ({ destination: row.destinationText, nextHop: nextHopId(row.nextHop) }));
}
