/** Leases beside what a plan says of them: what `status` and `explain` look at, from a file or of the deployed stack. */
import { type Cidr, contains, parseCidr } from '../shared/domain/cidr.ts';
import type { Lease } from '../shared/domain/lease.ts';
import { placedSubnets } from '../shared/domain/lease-parts.ts';
import type { Match } from '../shared/domain/matching-row.ts';
import type { NetworkConfig } from '../shared/domain/network-config.ts';
import type { PlanJson, PlannedTable } from '../shared/domain/render-plan.ts';

export interface Picture {
  readonly config: NetworkConfig;
  readonly plan: PlanJson;
  /** By the key that the plan knows them by. */
  readonly leases: ReadonlyMap<string, Lease>;
  /** Destinations that a table has no room for, by table id. */
  readonly overflow: ReadonlyMap<string, ReadonlySet<string>>;
  /** What each table does with packets to the address that was asked for; empty where none was. */
  readonly matches: Readonly<Record<string, Match>>;
  /** What else is not as it should be, a line each. */
  readonly remarks: readonly string[];
}

export interface Cell {
  /** `routed`, `missing`, `changed`, `blackhole`, `conflict`, `no room`, `held`, `to delete`, `unknown`, `-`. */
  readonly word: string;
  readonly detail: string | null;
}

const live = ['active', 'leaving', 'stale', 'reserved'];

/** What one table does for one lease. Of two families the one that is not routed speaks. */
export function cellOf(picture: Picture, key: string, tableId: string): Cell {
  const lease = picture.leases.get(key);
  const table = picture.plan.tables[tableId];
  if (lease === undefined || table === undefined) return { word: '-', detail: null };
  if (table.status === 'missing') return { word: 'unknown', detail: 'the table cannot be found' };
  const cells = placedSubnets(lease, picture.config).map((subnet) =>
    cellOfSubnet(subnet, lease, table, picture.overflow.get(tableId) ?? new Set()),
  );
  return cells.find(({ word }) => word !== 'routed') ?? cells[0] ?? { word: '-', detail: null };
}

function cellOfSubnet(subnet: Cidr, lease: Lease, table: PlannedTable, overflow: ReadonlySet<string>): Cell {
  const conflict = table.conflicts.find(({ destination }) => sameBlock(destination, subnet));
  if (conflict !== undefined) return { word: 'conflict', detail: `${conflict.nextHop} holds it and is not ours` };
  const step = table.steps.find(({ destination }) => sameBlock(destination, subnet));
  if (step?.action === 'delete') return { word: 'to delete', detail: step.detail };
  if (step !== undefined) return { word: step.reason, detail: step.detail };
  const held = table.held.find(({ destination }) => sameBlock(destination, subnet));
  if (held !== undefined) return { word: 'held', detail: `${held.detail}; the guard holds its deletion back` };
  if (overflow.has(subnet.text)) return { word: 'no room', detail: 'the table is full' };
  return live.includes(lease.state) ? { word: 'routed', detail: null } : { word: '-', detail: null };
}

function sameBlock(destination: string, subnet: Cidr): boolean {
  const block = parseCidr(destination, 'destination');
  return contains(block, subnet) && contains(subnet, block);
}
