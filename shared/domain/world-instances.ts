/** The instances of a world file, and what they and the clock make of its leases. */
import { isPastExpiry } from './expiry.ts';
import { InvalidInput } from './invalid-input.ts';
import { isHeld, type Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import type { Placed } from './strict-keys.ts';
import { fieldsOf, identifier, isGiven, listOf, printedList } from './world-fields.ts';

/** Reads `aws ec2 describe-instances` output, or a list of reservations or instances: state by instance id. */
export function parseInstances(raw: unknown): Map<string, string> {
  const states = new Map<string, string>();
  if (!isGiven(raw)) return states;
  for (const { field, value } of printedList(raw, 'instances', 'Reservations').flatMap(instancesOf)) {
    const fields = fieldsOf(value, field);
    const state = fieldsOf(fields['State'], `${field}.State`)['Name'];
    if (typeof state !== 'string') throw new InvalidInput(`${field}.State.Name`, state, 'is not a text');
    states.set(identifier(fields['InstanceId'], `${field}.InstanceId`, 'i-'), state);
  }
  return states;
}

/** A reservation's instances; with an id of its own it is one, as `--query 'Reservations[].Instances[]'` prints them. */
function instancesOf(entry: Placed): Placed[] {
  const fields = fieldsOf(entry.value, entry.field);
  if (fields['InstanceId'] !== undefined) return [entry];
  const field = `${entry.field}.Instances`;
  return listOf(fields['Instances'], field).map((value, at) => ({ field: `${field}[${at}]`, value }));
}

/**
 * The lease with the state that EC2 and the clock give it, by the keeper's rules. An instance that is not listed is
 * unknown: its lease is kept until it expires. Without a clock (`now` null) nothing expires. A reservation is nobody's life,
 * whatever instance a file names beside it.
 */
export function settledLease(
  lease: Lease,
  instances: ReadonlyMap<string, string>,
  now: number | null,
  config: Pick<NetworkConfig, 'whenStopped'>,
): Lease {
  if (lease.instanceId === null || lease.state === 'reserved' || !isHeld(lease.state)) return lease;
  const instance = instances.get(lease.instanceId);
  if (instance === 'terminated') return { ...lease, state: 'released' };
  if (instance === 'stopped') return { ...lease, state: config.whenStopped === 'keep' ? 'leaving' : 'withdrawn' };
  const isRunning = instance === 'running' || instance === 'pending';
  const onItsWayDown = instance === 'stopping' || instance === 'shutting-down';
  if (lease.state === 'withdrawn' && !isRunning) return lease;
  // Expiry matters only where EC2 cannot tell: an instance that goes down cannot renew.
  if (onItsWayDown) return { ...lease, state: 'leaving' };
  if (now !== null && isPastExpiry(lease.expiresAt, now)) return { ...lease, state: isRunning ? 'stale' : 'expired' };
  return isRunning ? { ...lease, state: 'active' } : lease;
}
