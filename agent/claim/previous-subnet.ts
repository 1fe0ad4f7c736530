/** Which subnet the node had before this start. */
import { readFile } from 'node:fs/promises';
import { type Cidr, tryParseCidr } from '../../shared/domain/cidr.ts';
import type { RememberedLease } from './lease-memory.ts';

/**
 * The remembered one, else that of subnet.env, which flannel writes too: so a node that moves from flannel to Leaseway asks
 * for the subnet its containers are in. A memory of another instance is that of an image, and no wish.
 */
export function previousSubnet(
  remembered: RememberedLease | null,
  instanceArn: string,
  subnetEnv: string | null,
): Cidr | null {
  if (remembered !== null && remembered.instanceArn === instanceArn) return remembered.subnet;
  return subnetEnv === null ? null : subnetOfEnv(subnetEnv);
}

/**
 * `FLANNEL_SUBNET`, else `FLANNEL_IPV6_SUBNET`: the subnet's first host and its length (10.244.3.1/24). Null where there is
 * none, or more than one, which tells nothing.
 */
export function subnetOfEnv(text: string): Cidr | null {
  for (const key of ['FLANNEL_SUBNET', 'FLANNEL_IPV6_SUBNET']) {
    const values = text
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
    const subnet = values.length === 1 ? tryParseCidr(values[0]?.trim()) : null;
    if (subnet !== null) return subnet;
  }
  return null;
}

/** Null where there is no such file, or none that can be read: it is only a wish. */
export async function readSubnetEnv(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}
