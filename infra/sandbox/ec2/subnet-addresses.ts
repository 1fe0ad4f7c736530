/** Addresses within a subnet: which are free, which a caller may ask for. */
import { AwsError } from '../service.ts';
import { addressAt, addressValue, type Cidr, type Family, parseCidr } from './cidrs.ts';
import { invalidParameter } from './errors.ts';
import type { Subnet } from './records.ts';
import type { World } from './world.ts';

/** EC2 keeps the first four addresses of a subnet and its last one to itself. */
const reservedAtStart = 4n;

function rangeOf(subnet: Subnet, family: Family): Cidr {
  const text = family === 'ipv4' ? subnet.cidr : subnet.ipv6Cidr;
  const range = text === undefined ? undefined : parseCidr(family, text);
  if (range === undefined) throw invalidParameter(`Subnet ${subnet.id} has no IPv6 CIDR block`);
  return range;
}

function taken(world: World, subnet: Subnet, family: Family): Set<string> {
  const interfaces = [...world.interfaces.values()].filter((held) => held.subnetId === subnet.id);
  return new Set(interfaces.flatMap((held) => (family === 'ipv4' ? held.privateIps : held.ipv6)));
}

export function freeAddresses(world: World, subnet: Subnet): number {
  const { first, last } = rangeOf(subnet, 'ipv4');
  return Number(last - first + 1n - reservedAtStart - 1n) - taken(world, subnet, 'ipv4').size;
}

/**
 * The address asked for, checked, or the lowest free one.
 * @param alsoTaken addresses promised within the same call
 */
export function takeAddress(
  world: World,
  subnet: Subnet,
  family: Family,
  wanted: string | undefined,
  alsoTaken: readonly string[] = [],
): string {
  const range = rangeOf(subnet, family);
  const used = taken(world, subnet, family);
  for (const address of alsoTaken) used.add(address);
  if (wanted !== undefined) return checked(family, range, used, wanted);
  for (let value = range.first + reservedAtStart; value < range.last; value += 1n) {
    const address = addressAt(family, value);
    if (!used.has(address)) return address;
  }
  throw new AwsError(
    'InsufficientFreeAddressesInSubnet',
    `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
  );
}

function checked(family: Family, range: Cidr, used: ReadonlySet<string>, wanted: string): string {
  const value = addressValue(family, wanted);
  if (value === undefined) throw invalidParameter(`invalid value for parameter address: ${wanted}`);
  if (value < range.first + reservedAtStart || value >= range.last) {
    throw invalidParameter(`Address ${wanted} does not fall within the subnet's address range`);
  }
  const address = addressAt(family, value);
  if (used.has(address)) throw new AwsError('InvalidIPAddress.InUse', `Address ${address} is in use.`);
  return address;
}
