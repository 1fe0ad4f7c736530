/** The instances of a world file, and what they and the clock make of its leases. */
import { isPastExpiry } from './expiry.ts';
import { InvalidInput } from './invalid-input.ts';
import { isHeld, type Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import { fieldsOf, identifier, listOf } from './world-fields.ts';

/** Reads `aws ec2 describe-instances` output: state by instance id. */
export function parseInstances(raw: unknown): Map<string, string> {
  const states = new Map<string, string>();
  if (raw === undefined || raw === null) return states;
  const reservations = listOf(fieldsOf(raw, 'instances')['Reservations'], 'instances.Reservations');
  reservations.forEach((reservation, r) => {
    const at = `instances.Reservations[${r}]`;
    listOf(fieldsOf(reservation, at)['Instances'], `${at}.Instances`).forEach((instance, i) => {
      const field = `${at}.Instances[${i}]`;
      const fields = fieldsOf(instance, field);
      const state = fieldsOf(fields['State'], `${field}.State`)['Name'];
      if (typeof state !== 'string') throw new InvalidInput(`${field}.State.Name`, state, 'is not a text');
      states.set(identifier(fields['InstanceId'], `${field}.InstanceId`, 'i-'), state);
    });
  });
  return states;
}

/**
 * The lease with the state that EC2 and the clock give it, by the keeper's rules. An instance that is not listed is
 * unknown: its lease is kept until it expires. Without a clock (`now` null) nothing expires.
 */
export function settledLease(
  lease: Lease,
  instances: ReadonlyMap<string, string>,
  now: number | null,
  config: Pick<NetworkConfig, 'whenStopped'>,
): Lease {
  if (lease.instanceId === null || !isHeld(lease.state)) return lease;
  const instance = instances.get(lease.instanceId);
  if (instance === 'terminated') return { ...lease, state: 'released' };
  if (instance === 'stopped') return { ...lease, state: config.whenStopped === 'keep' ? 'leaving' : 'withdrawn' };
  const isRunning = instance === 'running' || instance === 'pending';
  const onItsWayDown = instance === 'stopping' || instance === 'shutting-down';
  if (lease.state === 'withdrawn' && !isRunning) return lease;
  if (now !== null && isPastExpiry(lease.expiresAt, now)) {
    return { ...lease, state: isRunning || onItsWayDown ? 'stale' : 'expired' };
  }
  if (onItsWayDown) return { ...lease, state: 'leaving' };
  return isRunning && lease.state !== 'reserved' ? { ...lease, state: 'active' } : lease;
}
