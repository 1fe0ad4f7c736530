/** A lease as a world file spells it. */
import { parseAddress, parseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import type { Lease, LeaseState } from './lease.ts';
import { parseMac } from './mac-address.ts';
import { nearestWord } from './strict-keys.ts';
import {
  epochSeconds,
  type Fields,
  fieldsOf,
  identifier,
  isGiven,
  optionalIpv6Cidr,
  optionalText,
  wholeNumber,
} from './world-fields.ts';

/** The states a file may give; `stale` and `expired` follow from the clock and are accepted as written too. */
const writtenStates = ['active', 'leaving', 'withdrawn', 'released', 'reserved', 'stale', 'expired'] as const;

const leaseKeys = [
  'subnet',
  'ipv6Subnet',
  'instanceId',
  'eniId',
  'nodeIp',
  'nodeIpv6',
  'subnetId',
  'segment',
  'vtepMac',
  'state',
  'acquiredAt',
  'expiresAt',
  'version',
] as const;

/** Keys of a stored lease that look like one of the above and are none. */
const strangers = ['instanceArn', 'instance'];

/**
 * Reads one lease. Absent `acquiredAt`: the oldest there is; absent `expiresAt`: does not expire. Null is absent, as jq
 * writes it.
 *
 * @throws InvalidInput naming the field.
 */
export function parseLease(raw: unknown, field: string): Lease {
  const fields = fieldsOf(raw, field);
  refuseMisspelt(fields, field);
  const at = (key: (typeof leaseKeys)[number]): [unknown, string] => [fields[key], `${field}.${key}`];
  const has = (key: (typeof leaseKeys)[number]): boolean => isGiven(fields[key]);
  if (fields['subnet'] === undefined) throw new InvalidInput(`${field}.subnet`, undefined, 'is missing');
  const state = parseState(...at('state'));
  // The tombstone of a reservation has as little an instance as the reservation had.
  const needsInstance = (state !== 'reserved' && state !== 'released') || has('instanceId');
  return {
    subnet: parseCidr(...at('subnet')),
    ipv6Subnet: optionalIpv6Cidr(...at('ipv6Subnet')),
    instanceId: needsInstance ? identifier(...at('instanceId'), 'i-') : null,
    eniId: identifier(...at('eniId'), 'eni-'),
    nodeIp: has('nodeIp') ? parseAddress(...at('nodeIp'), 'ipv4') : null,
    nodeIpv6: has('nodeIpv6') ? parseAddress(...at('nodeIpv6'), 'ipv6') : null,
    subnetId: has('subnetId') ? identifier(...at('subnetId'), 'subnet-') : null,
    segment: optionalText(...at('segment')),
    vtepMac: has('vtepMac') ? parseMac(...at('vtepMac')) : null,
    state,
    acquiredAt: has('acquiredAt') ? epochSeconds(...at('acquiredAt')) : 0,
    expiresAt: has('expiresAt') ? epochSeconds(...at('expiresAt')) : null,
    version: has('version') ? wholeNumber(...at('version')) : 0,
  };
}

function parseState(value: unknown, field: string): LeaseState {
  if (!isGiven(value)) return 'active';
  const state = writtenStates.find((candidate) => candidate === value);
  if (state === undefined) throw new InvalidInput(field, value, `is none of ${writtenStates.join(', ')}`);
  return state;
}

/** Unknown keys are another version's; a known key misspelt is a mistake that would change the plan. */
function refuseMisspelt(fields: Fields, field: string): void {
  const known: readonly string[] = leaseKeys;
  for (const [key, value] of Object.entries(fields)) {
    if (known.includes(key) || strangers.includes(key)) continue;
    // No version of anything has it.
    if (key === '__proto__') throw new InvalidInput(`${field}.${key}`, value, 'is not a known key');
    const meant = nearestWord(key, leaseKeys);
    if (meant !== null) throw new InvalidInput(`${field}.${key}`, value, `is not a known key; is ${meant} meant?`);
  }
}
