/** The MAC of a node's tunnel end point. */
import { digestOf } from './digest.ts';

/**
 * Derived, never claimed: FDB entries are keyed by it, so a node that could choose could take over a peer's traffic.
 * Locally administered and unicast (IEEE 802: second-lowest bit of the first octet 1, lowest 0), 46 bits of hash: two of
 * 1000 nodes meet once in 140 million networks, and the keeper refuses the second.
 */
export function vtepMacOf(network: string, instanceArn: string): string {
  const digits = digestOf(`${network}\n${instanceArn}`).slice(-12);
  const first = ((Number.parseInt(digits.slice(0, 2), 16) & 0xfc) | 0x02).toString(16).padStart(2, '0');
  return [first, ...(digits.slice(2).match(/../g) ?? [])].join(':');
}
