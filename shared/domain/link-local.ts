/** The address under which a peer's VTEP is known on an IPv6 tunnel. */
import { addressText } from './cidr.ts';

const linkLocal = 0xfe80n << 112n;

/** `fe80::` and the modified EUI-64 of the MAC (RFC 4291, appendix A): ff:fe in its middle, the universal bit inverted. */
export function linkLocalOf(mac: string): string {
  const octets = mac.split(':').map((octet) => Number.parseInt(octet, 16));
  const id = [(octets[0] ?? 0) ^ 0x02, ...octets.slice(1, 3), 0xff, 0xfe, ...octets.slice(3)];
  return addressText('ipv6', linkLocal | id.reduce((value, octet) => (value << 8n) | BigInt(octet), 0n));
}
