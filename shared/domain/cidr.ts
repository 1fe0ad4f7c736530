/**
 * CIDR blocks of both families as values. IPv4 and IPv6 are one code path: the family is data.
 *
 * Texts are read strictly: a leading zero, an octal or partial IPv4 address, a zone or a missing length is an error,
 * because each of them is read differently somewhere (inet_aton reads 010.0.0.1 as 8.0.0.1).
 */
import { Address4, Address6 } from 'ip-address';
import { InvalidInput } from './invalid-input.ts';

export type Family = 'ipv4' | 'ipv6';

export interface Cidr {
  readonly family: Family;
  /** The first address, host bits cleared. */
  readonly base: bigint;
  /** Prefix length in bits. */
  readonly length: number;
  /** Canonical text: dotted quad, or compressed lower-case IPv6 (RFC 5952), and the length. */
  readonly text: string;
}

export function bitsOf(family: Family): number {
  return family === 'ipv4' ? 32 : 128;
}

/** Reads a CIDR block, clearing host bits as `CreateRoute` does (100.68.0.18/18 is 100.68.0.0/18). */
export function parseCidr(text: unknown, field: string, family?: Family): Cidr {
  const cidr = tryParseCidr(text);
  if (cidr === null) throw new InvalidInput(field, text, 'is not a CIDR block such as 10.244.1.0/24');
  if (family !== undefined && cidr.family !== family) {
    throw new InvalidInput(field, text, `is not an ${family === 'ipv4' ? 'IPv4' : 'IPv6'} CIDR block`);
  }
  return cidr;
}

/** The same, with null for what is no CIDR block: for rows that others wrote. */
export function tryParseCidr(text: unknown): Cidr | null {
  if (typeof text !== 'string' || !/^[0-9a-fA-F:.]+\/(0|[1-9][0-9]{0,2})$/.test(text)) return null;
  const length = Number(text.slice(text.indexOf('/') + 1));
  try {
    return text.includes(':')
      ? cidrOf('ipv6', new Address6(text).bigInt(), length)
      : cidrOf('ipv4', new Address4(text).bigInt(), length);
  } catch {
    return null;
  }
}

/** The block of `length` bits that holds `address`. */
export function cidrOf(family: Family, address: bigint, length: number): Cidr {
  const hostBits = BigInt(bitsOf(family) - length);
  const base = (address >> hostBits) << hostBits;
  return { family, base, length, text: `${addressText(family, base)}/${length}` };
}

export function addressText(family: Family, address: bigint): string {
  return family === 'ipv4' ? Address4.fromBigInt(address).correctForm() : Address6.fromBigInt(address).correctForm();
}

/** The first address as text, without the length. */
export function baseAddress(cidr: Cidr): string {
  return addressText(cidr.family, cidr.base);
}

/** Whether every address of `inner` is in `outer`: the whole prefix counts, not only its base address. */
export function contains(outer: Cidr, inner: Cidr): boolean {
  return (
    outer.family === inner.family &&
    outer.length <= inner.length &&
    inner.base >> BigInt(bitsOf(outer.family) - outer.length) ===
      outer.base >> BigInt(bitsOf(outer.family) - outer.length)
  );
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return contains(a, b) || contains(b, a);
}

/** How many blocks of `length` bits the network holds. */
export function subnetCount(network: Cidr, length: number): bigint {
  return length < network.length ? 0n : 1n << BigInt(length - network.length);
}

/** The `index`-th block of `length` bits in the network, counted from 0. */
export function subnetAt(network: Cidr, length: number, index: bigint): Cidr {
  return cidrOf(network.family, network.base + (index << BigInt(bitsOf(network.family) - length)), length);
}

/** The index of `subnet` among the blocks of its own length in the network. */
export function subnetIndex(network: Cidr, subnet: Cidr): bigint {
  return (subnet.base - network.base) >> BigInt(bitsOf(network.family) - subnet.length);
}

/** Order for output and for ties: IPv4 before IPv6, then by address, then the wider first. */
export function compareCidrs(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family === 'ipv4' ? -1 : 1;
  if (a.base !== b.base) return a.base < b.base ? -1 : 1;
  return a.length - b.length;
}

/** Reads one address without a length; null for what is none. */
export function tryParseAddress(text: unknown): { family: Family; value: bigint; text: string } | null {
  if (typeof text !== 'string' || text.includes('/')) return null;
  const cidr = tryParseCidr(`${text}/${text.includes(':') ? 128 : 32}`);
  return cidr && { family: cidr.family, value: cidr.base, text: baseAddress(cidr) };
}

/** Reads one address without a length and gives its canonical text. */
export function parseAddress(text: unknown, field: string, family?: Family): string {
  const address = tryParseAddress(text);
  if (address === null || (family !== undefined && address.family !== family)) {
    const wanted = family === undefined ? 'IP' : family === 'ipv4' ? 'IPv4' : 'IPv6';
    throw new InvalidInput(field, text, `is not an ${wanted} address`);
  }
  return address.text;
}
