/** The public `Lease Change` event, from a lease before and after. */
import { isForwarding, isHeld, type Lease } from './lease.ts';
import { type LeaseJson, leaseJson } from './lease-json.ts';

type ChangeName = 'granted' | 'changed' | 'leaving' | 'withdrawn' | 'restored' | 'released' | 'expired';

export interface LeaseChange {
  readonly network: string;
  /** The lease's own: of two events of one subnet the greater is the newer. */
  readonly version: number;
  readonly change: ChangeName;
  readonly lease: LeaseJson;
  /** Null where there was none. */
  readonly previous: LeaseJson | null;
}

/** What packets follow. Times and versions are not among it: renewals would wake everybody for nothing. */
const forwardingFields = [
  'ipv6Subnet',
  'instanceId',
  'eniId',
  'nodeIp',
  'nodeIpv6',
  'subnetId',
  'segment',
  'vtepMac',
  'state',
] as const;

/** Null when nothing differs that packets follow. */
export function leaseChange(network: string, before: Lease | null, after: Lease): LeaseChange | null {
  const lease = leaseJson(after);
  const previous = before === null ? null : leaseJson(before);
  if (previous !== null && forwardingFields.every((field) => lease[field] === previous[field])) return null;
  return { network, version: after.version, change: nameOf(before, after), lease, previous };
}

/**
 * An item that somebody removed by hand. Of a lease that was held it is a release, or nobody would look at its routes;
 * of a tombstone it is nothing.
 */
export function leaseRemoval(network: string, before: Lease): LeaseChange | null {
  if (!isHeld(before.state)) return null;
  return leaseChange(network, before, { ...before, state: 'released', version: before.version + 1 });
}

function nameOf(before: Lease | null, after: Lease): ChangeName {
  if (after.state === 'released' || after.state === 'expired') return after.state;
  if (before === null || !isHeld(before.state) || before.instanceId !== after.instanceId) return 'granted';
  if (before.state === after.state) return 'changed';
  if (after.state === 'leaving' || after.state === 'withdrawn') return after.state;
  return isForwarding(before.state) && before.state !== 'leaving' ? 'changed' : 'restored';
}
