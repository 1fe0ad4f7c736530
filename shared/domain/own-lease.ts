/** The lease of the node itself: without it nothing may be changed. */
import { isProgrammed } from './node-rows.ts';
import type { AgentLease, AgentMap } from './read-map.ts';
import { subnetProblem } from './refuse-leases.ts';

/** The map's first of the instance that holds its subnet. Null: not there, or not a lease of this network. */
export function ownLease(map: AgentMap, instanceId: string): AgentLease | null {
  return mine(map, instanceId).find((lease) => holds(lease) && subnetProblem(lease, map.config) === null) ?? null;
}

/** Why there is none, a sentence. */
export function whyNoOwnLease(map: AgentMap, instanceId: string): string {
  const leases = mine(map, instanceId);
  const held = leases.filter(holds).map((lease) => ({ ...lease, problem: subnetProblem(lease, map.config) }));
  const [refused] = [...held, ...map.refused.filter((lease) => lease.instanceId === instanceId)];
  if (refused !== undefined) return `the own lease ${refused.name} is refused: ${refused.problem}`;
  const [given] = leases;
  if (given !== undefined) return `the own lease ${given.name} is ${given.state}`;
  return `instance ${instanceId} has no lease in the map (revision ${map.revision})`;
}

function mine({ leases }: AgentMap, instanceId: string): readonly AgentLease[] {
  return leases.filter((lease) => lease.instanceId === instanceId);
}

function holds(lease: AgentLease): boolean {
  return isProgrammed(lease) || lease.state === 'withdrawn';
}
