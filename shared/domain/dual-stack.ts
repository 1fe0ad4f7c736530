/**
 * The index rule of a dual-stack network: a lease's IPv6 subnet has the same index in its network as its IPv4 subnet in
 * its own. One key, the IPv4 subnet, then proves that both are held once.
 */
import { baseAddress, subnetAt, subnetCount, subnetIndex } from './cidr.ts';
import type { FamilyKeys } from './family-config.ts';
import { InvalidInput } from './invalid-input.ts';
import type { FamilyConfig } from './network-config.ts';

/**
 * The IPv6 range that goes with the IPv4 one: the same indexes. Bounds that the file gives for IPv6 must hold that range
 * (flannel, which picks both subnets independently, lets them be anything); where they are wider they change nothing.
 *
 * @throws InvalidInput when the IPv6 network or the given bounds are too narrow.
 */
export function followIpv4(ipv4: FamilyConfig, ipv6: FamilyConfig, keys: FamilyKeys): FamilyConfig {
  const first = subnetIndex(ipv4.network, ipv4.subnetMin);
  const last = subnetIndex(ipv4.network, ipv4.subnetMax);
  const holds = subnetCount(ipv6.network, ipv6.subnetLen);
  if (holds <= last) {
    const problem =
      `holds ${holds} subnets of /${ipv6.subnetLen}, and the IPv4 range needs ${last + 1n}: ` +
      "a lease's IPv6 subnet has the index of its IPv4 subnet";
    throw new InvalidInput(keys.network.field, keys.network.value, problem);
  }
  const subnetMin = subnetAt(ipv6.network, ipv6.subnetLen, first);
  const subnetMax = subnetAt(ipv6.network, ipv6.subnetLen, last);
  const rule = `: a lease's IPv6 subnet has the index of its IPv4 subnet, ${first} to ${last}`;
  if (keys.subnetMin.value !== undefined && ipv6.subnetMin.base > subnetMin.base) {
    const problem = `is above ${baseAddress(subnetMin)}${rule}`;
    throw new InvalidInput(keys.subnetMin.field, keys.subnetMin.value, problem);
  }
  if (keys.subnetMax.value !== undefined && ipv6.subnetMax.base < subnetMax.base) {
    const problem = `is below ${baseAddress(subnetMax)}${rule}`;
    throw new InvalidInput(keys.subnetMax.field, keys.subnetMax.value, problem);
  }
  return { ...ipv6, subnetMin, subnetMax };
}
