/** The interface that a lease is reached by, as EC2 says at a sweep. */
import { isAlive } from '../domain/instance-life.ts';
import type { LeaseRecord } from '../domain/lease-record.ts';
import type { InstanceFacts, InterfaceFacts } from './ports.ts';

export interface Ec2Reading {
  readonly instances: ReadonlyMap<string, InstanceFacts>;
  readonly interfaces: ReadonlyMap<string, InterfaceFacts>;
}

/**
 * The lease's own interface while it is its node's, or a reservation's wherever it is. Where EC2 shows it at another instance or at
 * none, and does not list it at the node either, packets of the lease would end up there: then the node's primary one, which
 * is its own for life, until a claim names another. Null: nothing can be concluded, and the lease stays as it is.
 */
export function leaseInterface(
  { instanceId, eniId }: Pick<LeaseRecord, 'instanceId' | 'eniId'>,
  { instances, interfaces }: Ec2Reading,
): InterfaceFacts | null {
  const own = interfaces.get(eniId);
  if (own === undefined) return null;
  if (instanceId === null || own.instanceId === instanceId) return own;
  const node = instances.get(instanceId);
  if (node === undefined || !isAlive(node.state)) return null;
  const attached = node.interfaces.filter((eni) => eni.instanceId === instanceId);
  // One reading may be older than the other; the next sweep sees more.
  if (attached.some((eni) => eni.eniId === eniId)) return null;
  return attached.find((eni) => eni.isPrimary && eni.vpcId === own.vpcId) ?? null;
}
