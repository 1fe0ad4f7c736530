/** Why a step is taken, as a sentence. */
import type { Lease } from './lease.ts';
import type { Step } from './plan.ts';
import { nextHopId, type Route } from './route.ts';

/** `bySubnet` has the lease that speaks for each destination. */
export function detailOf(step: Step<Route>, bySubnet: ReadonlyMap<string, Lease>): string {
  const row = step.action === 'replace' ? step.to : step.row;
  const lease = bySubnet.get(row.destination?.text ?? row.destinationText);
  switch (step.action) {
    case 'create':
      return `the lease of ${holderOf(lease)} has no route in this table`;
    case 'replace':
      return step.reason === 'blackhole'
        ? `a blackhole, while the lease of ${holderOf(lease)} is at ${nextHopId(step.to.nextHop)}`
        : `the lease of ${holderOf(lease)} is at ${nextHopId(step.to.nextHop)}`;
    case 'delete':
      return whyDeleted(step.reason, lease);
  }
}

export function holderOf(lease: Lease | undefined): string {
  return lease === undefined ? 'nobody' : (lease.instanceId ?? `${lease.eniId} (reserved)`);
}

function whyDeleted(reason: Step<Route>['reason'], lease: Lease | undefined): string {
  switch (reason) {
    case 'overflow':
      return `the tables have no room for the lease of ${holderOf(lease)}`;
    case 'withdrawn':
      return `${holderOf(lease)} is stopped`;
    case 'released':
      return lease?.state === 'released'
        ? `the lease of ${holderOf(lease)} is released`
        : 'the configuration gave up this range or this table';
    case 'expired':
      return `the lease of ${holderOf(lease)} expired, and EC2 does not say that it runs`;
    case 'blackhole':
      return 'a blackhole that no lease asks for';
    case 'orphan':
    case 'missing':
    case 'changed':
      return 'no lease, live or released, knows this route';
  }
}
