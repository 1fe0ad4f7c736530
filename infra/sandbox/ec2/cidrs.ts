/** CIDR arithmetic as EC2 does it, over the ip-address library. */
import { Address4, Address6 } from 'ip-address';

export type Family = 'ipv4' | 'ipv6';

export interface Cidr {
  readonly family: Family;
  /** Canonical: host bits zero, IPv6 compressed in lower case. */
  readonly text: string;
  readonly prefixLength: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** Strict `a.b.c.d/n` or `v6/n`: no leading zeros, no missing length, no zone; host bits are cut off. */
export function parseCidr(family: Family, text: string): Cidr | undefined {
  const [address = '', length = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  if (Number(length) > (family === 'ipv4' ? 32 : 128) || !isAddress(family, address)) return undefined;
  const parsed = family === 'ipv4' ? new Address4(text) : new Address6(text);
  const prefixLength = Number(length);
  const start = parsed.startAddress();
  return {
    family,
    text: `${start.correctForm()}/${prefixLength}`,
    prefixLength,
    first: start.bigInt(),
    last: parsed.endAddress().bigInt(),
  };
}

function isAddress(family: Family, text: string): boolean {
  if (family === 'ipv4') return /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text) && Address4.isValid(text);
  return /^[0-9a-fA-F:.]+$/.test(text) && text.includes(':') && Address6.isValid(text);
}

export const contains = (outer: Cidr, inner: Cidr) =>
  outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;

export const overlaps = (a: Cidr, b: Cidr) => a.family === b.family && a.first <= b.last && b.first <= a.last;

export const addressAt = (family: Family, value: bigint): string =>
  (family === 'ipv4' ? Address4.fromBigInt(value) : Address6.fromBigInt(value)).correctForm();

export function addressValue(family: Family, text: string): bigint | undefined {
  if (!isAddress(family, text)) return undefined;
  return (family === 'ipv4' ? new Address4(text) : new Address6(text)).bigInt();
}
