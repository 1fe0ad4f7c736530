/** What becomes of each lease: one word and a sentence. */
import { compareCidrs } from './cidr.ts';
import { cutOffReason } from './cut-off.ts';
import type { Lease } from './lease.ts';
import { placedSubnets, secondProblem } from './lease-parts.ts';
import type { NetworkConfig } from './network-config.ts';
import type { NetworkPlan } from './network-plan.ts';
import { stepRow } from './plan.ts';
import { holderOf } from './render-step.ts';
import type { TablePlan } from './table-plan.ts';
import type { SpeltLease } from './world.ts';

export interface LeaseStatus {
  readonly status:
    | 'routed'
    | 'pending'
    | 'overflow'
    | 'leaving'
    | 'withdrawn'
    | 'stale'
    | 'expired'
    | 'released'
    | 'rejected'
    | 'conflict';
  readonly reason: string;
}

/** Which row it is stands with its table: a table's conflict is told there, once. */
const heldByOthers = 'held by a route that is not ours';

/** Whether the conflict is one of route tables, and not one between two leases. */
export function isHeldByOthers({ status, reason }: LeaseStatus): boolean {
  return status === 'conflict' && reason.startsWith(heldByOthers);
}

export function statusOfLeases(
  plan: NetworkPlan,
  leases: readonly SpeltLease[],
  config: NetworkConfig,
): Record<string, LeaseStatus> {
  return Object.fromEntries(keyedLeases(plan, leases).map(([key, lease]) => [key, statusOf(lease, plan, config)]));
}

/**
 * Each lease with its key, in the order of the subnets: its spelling. Of several leases of one spelling the one that
 * speaks for the subnet has the plain key, the others `<spelling> (<instance>)`.
 */
export function keyedLeases(plan: NetworkPlan, leases: readonly SpeltLease[]): [string, Lease][] {
  const speaks = new Set(plan.sorted.bySubnet.values());
  const ordered = [...leases].sort(
    (a, b) =>
      compareCidrs(a.lease.subnet, b.lease.subnet) ||
      Number(speaks.has(b.lease)) - Number(speaks.has(a.lease)) ||
      compareText(orderText(a), orderText(b)),
  );
  const keyed = new Map<string, Lease>();
  for (const { spelling, lease } of ordered) keyed.set(freeKey(spelling, lease, keyed), lease);
  return [...keyed];
}

/** Whatever tells two leases of one subnet apart, so that their order does not depend on the file's. */
function orderText({ spelling, lease }: SpeltLease): string {
  return JSON.stringify([
    lease.instanceId ?? '',
    lease.eniId,
    lease.state,
    lease.acquiredAt,
    lease.expiresAt,
    spelling,
    lease.ipv6Subnet?.text ?? '',
  ]);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function freeKey(spelling: string, lease: Lease, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(spelling)) return spelling;
  const named = `${spelling} (${lease.instanceId ?? lease.eniId})`;
  let key = named;
  for (let again = 2; taken.has(key); again += 1) key = `${named} ${again}`;
  return key;
}

function statusOf(lease: Lease, plan: NetworkPlan, config: NetworkConfig): LeaseStatus {
  const refused = plan.sorted.refused.get(lease);
  if (refused !== undefined) return { status: refused.status, reason: refused.reason };
  switch (lease.state) {
    case 'withdrawn':
      return { status: 'withdrawn', reason: `${holderOf(lease)} is stopped; the subnet is kept for it` };
    case 'released':
      return { status: 'released', reason: `${holderOf(lease)} gave the subnet back or is terminated` };
    case 'expired':
      return { status: 'expired', reason: `${holderOf(lease)} did not renew, and EC2 does not say that it runs` };
    case 'active':
    case 'leaving':
    case 'stale':
    case 'reserved': {
      const { status, reason } = liveStatus(lease, plan, config);
      const problem = secondProblem(lease, config);
      const ofFirst = reason + cutOffReason(lease, plan.cutOff);
      if (problem === null) return { status, reason: ofFirst };
      return { status: 'rejected', reason: `${problem}; ${lease.subnet.text} goes on, ${status}: ${ofFirst}` };
    }
  }
}

function liveStatus(lease: Lease, plan: NetworkPlan, config: NetworkConfig): LeaseStatus {
  if (config.backend.type !== 'aws-vpc') {
    const where = `the ${config.backend.type} backend routes on the nodes and in no route table`;
    return ofState(lease, { status: 'routed', reason: where }, config);
  }
  const listed = config.backend.routeTableIds;
  const subnets = new Set(placedSubnets(lease, config).map(({ text }) => text));
  const tables = plan.tables.filter(({ id }) => listed.includes(id));
  const held = tables.filter((table) => table.conflicts.some(({ wanted }) => subnets.has(wanted.destinationText)));
  if (held.length > 0) return { status: 'conflict', reason: `${heldByOthers} in ${idsOf(held)}` };
  const full = tables.filter((table) => table.overflow.some((route) => subnets.has(route.destinationText)));
  if (full.length > 0) return { status: 'overflow', reason: `no room in ${idsOf(full)}` };
  return ofState(lease, routeStatus(subnets, tables), config);
}

/** Whether the route is in its tables, as far as the plan knows. */
function routeStatus(subnets: ReadonlySet<string>, tables: readonly TablePlan[]): LeaseStatus {
  const missing = tables.filter((table) => table.status === 'missing');
  const waiting = tables.filter((table) => table.steps.some((step) => subnets.has(stepRow(step).destinationText)));
  if (missing.length === 0 && waiting.length === 0) return { status: 'routed', reason: `routed in ${idsOf(tables)}` };
  const parts = [
    ...(waiting.length > 0 ? [`to be written in ${idsOf(waiting)}`] : []),
    ...(missing.length > 0 ? [`${idsOf(missing)} cannot be found`] : []),
  ];
  return { status: 'pending', reason: parts.join('; ') };
}

/** A state that an operator has to know of comes before what the tables say, which stays in the reason. */
function ofState(lease: Lease, routes: LeaseStatus, { whenStopped }: NetworkConfig): LeaseStatus {
  if (lease.state === 'leaving') {
    // A lease that is kept does not say which of the two it is.
    const where =
      whenStopped === 'keep' ? 'stopped or on its way down, and WhenStopped keeps its route' : 'on its way down';
    return { status: 'leaving', reason: `${holderOf(lease)} is ${where}; ${routes.reason}` };
  }
  if (lease.state === 'stale') {
    return { status: 'stale', reason: `${holderOf(lease)} runs but has not renewed; ${routes.reason}` };
  }
  return routes;
}

function idsOf(tables: readonly TablePlan[]): string {
  return tables.map(({ id }) => id).join(', ');
}
