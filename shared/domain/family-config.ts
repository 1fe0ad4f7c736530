/**
 * One family's range, by flannel's rules (`CheckNetworkConfig` in its `pkg/subnet/config.go`) and one more: flannel does
 * not compare SubnetMin with SubnetMax, and then looks for a subnet in an empty range for ever.
 */
import {
  addressText,
  baseAddress,
  bitsOf,
  type Cidr,
  cidrOf,
  contains,
  type Family,
  parseAddress,
  parseCidr,
  subnetAt,
  subnetCount,
  subnetIndex,
  tryParseAddress,
} from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import type { FamilyConfig } from './network-config.ts';
import { readInteger } from './placed-values.ts';
import type { Placed } from './strict-keys.ts';

export interface FamilyKeys {
  readonly network: Placed;
  readonly subnetLen: Placed;
  readonly subnetMin: Placed;
  readonly subnetMax: Placed;
}

interface Rules {
  /** Longest SubnetLen: beyond it a subnet has no room for a bridge and a container. */
  readonly longest: number;
  /** Length of the usual subnet, for every network that holds at least four of it. */
  readonly usual: number;
}

const rules: Readonly<Record<Family, Rules>> = {
  ipv4: { longest: 30, usual: 24 },
  ipv6: { longest: 126, usual: 64 },
};

/** A network holds at least 2^2 subnets, one of which (the first) is not granted unless asked for. */
const leastBits = 2;

/** How many subnets can be granted: those from SubnetMin to SubnetMax. */
export function grantableSubnets(config: FamilyConfig): bigint {
  return indexOf(config, config.subnetMax) - indexOf(config, config.subnetMin) + 1n;
}

/** Checks the values of a family that is switched off: they must be well formed, and count for nothing. */
export function checkDisabledFamily(family: Family, keys: FamilyKeys): void {
  if (keys.network.value !== undefined) parseCidr(keys.network.value, keys.network.field, family);
  readInteger(keys.subnetLen, 0, bitsOf(family));
  for (const bound of [keys.subnetMin, keys.subnetMax]) {
    if (bound.value !== undefined) parseAddress(bound.value, bound.field, family);
  }
}

/** @throws InvalidInput naming the key, its value and the rule. */
export function parseFamily(family: Family, keys: FamilyKeys): FamilyConfig {
  if (keys.network.value === undefined) throw new InvalidInput(keys.network.field, undefined, 'is required');
  const network = parseCidr(keys.network.value, keys.network.field, family);
  const subnetLen = parseSubnetLen(network, keys);
  const subnetMin = parseBound(network, subnetLen, keys.subnetMin, 1n);
  const subnetMax = parseBound(network, subnetLen, keys.subnetMax, subnetCount(network, subnetLen) - 1n);
  if (subnetMin.base > subnetMax.base) {
    const given = keys.subnetMin.value === undefined ? keys.subnetMax : keys.subnetMin;
    const range = `${baseAddress(subnetMin)} to ${baseAddress(subnetMax)}`;
    throw new InvalidInput(given.field, given.value, `leaves no subnet to grant: the range is ${range}`);
  }
  return { family, network, subnetLen, subnetMin, subnetMax };
}

function parseSubnetLen(network: Cidr, keys: FamilyKeys): number {
  const { longest, usual } = rules[network.family];
  const given = readInteger(keys.subnetLen, 0, longest);
  // Go's zero value: flannel cannot tell 0 from a key that is not there.
  if (given === null || given === 0) {
    const smallest = longest - leastBits;
    if (network.length > smallest) {
      throw new InvalidInput(
        keys.network.field,
        keys.network.value,
        `is too small: a network is a /${smallest} at least`,
      );
    }
    return Math.max(usual, network.length + leastBits);
  }
  if (given < network.length + leastBits) {
    const holds = subnetCount(network, given);
    const found = holds === 0n ? 'none' : holds === 1n ? 'one' : String(holds);
    const problem = `is too short: a network holds at least four subnets, and ${network.text} holds ${found} of /${given}`;
    throw new InvalidInput(keys.subnetLen.field, given, problem);
  }
  return given;
}

function parseBound(network: Cidr, subnetLen: number, bound: Placed, whenAbsent: bigint): Cidr {
  if (bound.value === undefined) return subnetAt(network, subnetLen, whenAbsent);
  parseAddress(bound.value, bound.field, network.family);
  const address = tryParseAddress(bound.value)?.value ?? 0n;
  if (!contains(network, cidrOf(network.family, address, bitsOf(network.family)))) {
    throw new InvalidInput(bound.field, bound.value, `is not in the network ${network.text}`);
  }
  const subnet = cidrOf(network.family, address, subnetLen);
  if (subnet.base !== address) {
    const problem = `is not on a boundary of /${subnetLen} subnets (${addressText(network.family, subnet.base)} is)`;
    throw new InvalidInput(bound.field, bound.value, problem);
  }
  return subnet;
}

function indexOf(config: FamilyConfig, subnet: Cidr): bigint {
  return subnetIndex(config.network, subnet);
}
