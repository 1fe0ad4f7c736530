/** From leases to the VPC routes they ask for, and to what each row of ours is worth. */
import type { Cidr } from './cidr.ts';
import { compareCidrs } from './cidr.ts';
import type { Lease } from './lease.ts';
import { isForwarding, isHeld } from './lease.ts';
import { leaseProblem, placedSubnets } from './lease-parts.ts';
import type { NetworkConfig } from './network-config.ts';
import type { ManagedRange } from './ownership.ts';
import { isOurs } from './ownership.ts';
import type { Evidence, Reason, RowKind } from './plan.ts';
import type { Route } from './route.ts';
import { isBlackhole, nextHopId } from './route.ts';

/** A route that a lease asks for. */
export interface DesiredRoute extends Route {
  readonly destination: Cidr;
  readonly lease: Lease;
}

export interface SortedLeases {
  /** Leases that ask for routes: valid, and one a subnet. */
  readonly live: readonly Lease[];
  /** Leases that do not, whatever their state says, with the reason. */
  readonly refused: ReadonlyMap<Lease, { readonly status: 'rejected' | 'conflict'; readonly reason: string }>;
  /** The one lease that speaks for a subnet, live before dead, by canonical text of either family. */
  readonly bySubnet: ReadonlyMap<string, Lease>;
}

/** Sorts out what may ask for routes. Of two live leases for one subnet the earlier wins, then the lower instance id. */
export function sortLeases(leases: readonly Lease[], config: NetworkConfig): SortedLeases {
  const refused = new Map<Lease, { status: 'rejected' | 'conflict'; reason: string }>();
  const live: Lease[] = [];
  const bySubnet = new Map<string, Lease>();
  for (const lease of [...leases].sort(byClaim)) {
    const problem = leaseProblem(lease, config);
    if (problem !== null) {
      refused.set(lease, { status: 'rejected', reason: problem });
      continue;
    }
    const holder = bySubnet.get(lease.subnet.text);
    if (isForwarding(lease.state)) {
      if (holder !== undefined) {
        const reason = `${lease.subnet.text} is held by ${holder.instanceId ?? holder.eniId}, which came first`;
        refused.set(lease, { status: 'conflict', reason });
        continue;
      }
      live.push(lease);
    }
    if (holder === undefined) for (const { text } of placedSubnets(lease, config)) bySubnet.set(text, lease);
  }
  return { live: live.sort((a, b) => compareCidrs(a.subnet, b.subnet)), refused, bySubnet };
}

/** A stopped node's hold speaks before tombstones; the ENI settles what is left, so that no order depends on a file's. */
function byClaim(a: Lease, b: Lease): number {
  const rank = (lease: Lease) => (isForwarding(lease.state) ? 0 : isHeld(lease.state) ? 1 : 2);
  return (
    rank(a) - rank(b) ||
    a.acquiredAt - b.acquiredAt ||
    compareText(a.instanceId ?? '', b.instanceId ?? '') ||
    compareText(a.eniId, b.eniId) ||
    compareText(a.state, b.state)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The routes that live leases ask for, of all families, the same for every table. */
export function desiredRoutes(live: readonly Lease[], config: NetworkConfig): DesiredRoute[] {
  const routes = live.flatMap((lease) =>
    placedSubnets(lease, config).map(
      (destination): DesiredRoute => ({
        destination,
        destinationText: destination.text,
        nextHop: { kind: 'eni', id: lease.eniId, instanceId: lease.instanceId },
        state: 'active',
        origin: 'CreateRoute',
        lease,
      }),
    ),
  );
  return config.families.flatMap(({ family }) => routes.filter(({ destination }) => destination.family === family));
}

/** What is known about the holders of rows, for the evidence of their deletion. */
export interface Knowledge {
  readonly ranges: readonly ManagedRange[];
  readonly bySubnet: ReadonlyMap<string, Lease>;
  /** Instances that EC2 says are terminated, in lower case. */
  readonly terminated: ReadonlySet<string>;
}

/** VPC route tables as a kind of table. */
export function routeKind(knowledge: Knowledge): RowKind<Route> {
  return {
    key: (row) => row.destination?.text ?? row.destinationText,
    same: (actual, desired) =>
      actual.nextHop.kind === 'eni' &&
      desired.nextHop.kind === 'eni' &&
      actual.nextHop.id.toLowerCase() === desired.nextHop.id.toLowerCase() &&
      // The route of an instance that is on its way down turns into a blackhole by itself; writing it again would not
      // bring it back.
      (!isBlackhole(actual) || isLeaving(desired)),
    isOurs: (row) => isOurs(row, knowledge.ranges),
    describe: (row) => `${row.destinationText} -> ${nextHopId(row.nextHop)}`,
    compare: compareRoutes,
    whyReplace: (from) => (isBlackhole(from) ? 'blackhole' : 'changed'),
    whyDelete: (row) => whyDelete(row, knowledge),
  };
}

function isLeaving(desired: Route): boolean {
  return 'lease' in desired && (desired as DesiredRoute).lease.state === 'leaving';
}

function compareRoutes(a: Route, b: Route): number {
  if (a.destination !== null && b.destination !== null) return compareCidrs(a.destination, b.destination);
  if (a.destination === null && b.destination === null) return compareText(a.destinationText, b.destinationText);
  return a.destination === null ? 1 : -1;
}

function whyDelete(row: Route, { bySubnet, terminated }: Knowledge): { reason: Reason; evidence: Evidence } {
  const lease = bySubnet.get(row.destination?.text ?? row.destinationText);
  const isDead = (instanceId: string | null) => instanceId !== null && terminated.has(instanceId.toLowerCase());
  switch (lease?.state) {
    case 'active':
    case 'leaving':
    case 'stale':
    case 'reserved':
      return { reason: 'overflow', evidence: 'strong' };
    case 'withdrawn':
      return { reason: 'withdrawn', evidence: 'strong' };
    case 'released':
      return { reason: 'released', evidence: 'strong' };
    case 'expired':
      return { reason: 'expired', evidence: isBlackhole(row) || isDead(lease.instanceId) ? 'strong' : 'weak' };
    case undefined:
      break;
  }
  if (isBlackhole(row)) return { reason: 'blackhole', evidence: 'strong' };
  return { reason: 'orphan', evidence: isDead(instanceOf(row)) ? 'strong' : 'weak' };
}

function instanceOf({ nextHop }: Route): string | null {
  if (nextHop.kind === 'eni') return nextHop.instanceId;
  return nextHop.kind === 'instance' ? nextHop.id : null;
}
