/** The node behind a claim, as EC2 knows it. */
import { type InstanceState, isAlive } from '../domain/instance-life.ts';
import type { InstanceFacts, InterfaceFacts } from './ports.ts';

export type ClaimedNode =
  | { readonly kind: 'node'; readonly eni: InterfaceFacts; readonly state: InstanceState }
  | { readonly kind: 'pending' | 'refused'; readonly reason: string };

/**
 * Checks what the claim rests on: the instance is pending or running, and the ENI (the one named, else the primary one)
 * is attached to it in the VPC of the route tables. What may yet come true is pending: EC2 does not know a young instance
 * at once, and an ENI may be about to be attached.
 */
export function claimedNode(
  instanceId: string,
  eniId: string | null,
  facts: InstanceFacts | undefined,
  vpcId: string,
): ClaimedNode {
  if (facts === undefined) return { kind: 'pending', reason: `EC2 does not list ${instanceId} yet` };
  if (facts.state === 'terminated' || facts.state === 'shutting-down') {
    return { kind: 'refused', reason: `${instanceId} is ${facts.state}: its id never holds a lease again` };
  }
  if (!isAlive(facts.state)) return { kind: 'pending', reason: `${instanceId} is ${facts.state}` };
  const attached = facts.interfaces.filter((eni) => eni.instanceId === instanceId);
  const eni = attached.find((candidate) => (eniId === null ? candidate.isPrimary : candidate.eniId === eniId));
  if (eni === undefined) {
    const missing = eniId === null ? `the primary interface of ${instanceId}` : eniId;
    return { kind: 'pending', reason: `EC2 does not list ${missing} as attached to ${instanceId}` };
  }
  if (eni.vpcId !== vpcId) {
    return { kind: 'refused', reason: `${eni.eniId} is in ${eni.vpcId}, and the route tables are in ${vpcId}` };
  }
  return { kind: 'node', eni, state: facts.state };
}
