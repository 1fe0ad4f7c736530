/** Keys of the items in the three tables: `pk` and `sk`, both texts. */
import type { Cidr } from '../domain/cidr.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export const leasePrefix = 'lease#';
export const holderPrefix = 'holder#';
export const partPrefix = 'part#';

export function networkKey(network: string): string {
  return `network#${network}`;
}

export function leaseSortKey(subnet: Cidr): string {
  return `${leasePrefix}${subnet.text}`;
}

export function holderSortKey(instanceId: string): string {
  return `${holderPrefix}${instanceId}`;
}
