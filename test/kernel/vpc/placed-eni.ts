/** An ENI and its place in the model. */

export interface EniSpec {
  readonly id: string;
  readonly subnetId: string;
  readonly address: string;
  readonly ipv6?: string | undefined;
  /** The namespace that it is plugged into. */
  readonly namespace: string;
  /** Its link's name there; `eth0` unless given. */
  readonly link?: string | undefined;
  /** Derived from the ENI's number in the VPC unless given. */
  readonly mac?: string | undefined;
  /** CIDRs that may send to it (its security group); nobody unless given. */
  readonly allowedFrom?: readonly string[] | undefined;
}

export interface PlacedEni extends EniSpec {
  readonly number: number;
  readonly mac: string;
  /** The bridge of its subnet. */
  readonly bridge: string;
  /** Its bridge port. */
  readonly port: string;
  /** The router's name for it: a route's next hop is an ENI, so it must not depend on the ENI's addresses. */
  readonly gateway: string;
  readonly allowedFrom: readonly string[];
}

export interface PlacedSubnet {
  readonly id: string;
  readonly cidr: string;
  readonly ipv6Cidr: string | undefined;
  readonly bridge: string;
  /** The router's addresses in the subnet: the first one of IPv4 and, as AWS announces it, a link-local one. */
  readonly router: string;
  readonly routerMac: string;
}

export const routerLinkLocal = 'fe80::1';

const hex = (value: number) => value.toString(16).padStart(2, '0');

/** As EC2's are: globally unique in form, and never those of tunnel end points (locally administered 02). */
export const eniMac = (number: number): string => `0a:ff:00:00:${hex(number >> 8)}:${hex(number & 255)}`;

/** The link-local address that the kernel makes of a MAC (RFC 4291, modified EUI-64). */
export function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((octet) => Number.parseInt(octet, 16));
  const groups = [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f];
  return `fe80::${groups.map((group) => group.toString(16)).join(':')}`;
}

/** The group in which a neighbour solicitation for the address is sent (RFC 4291: the last 24 bits). */
export function solicitedNodeOf(address: bigint): string {
  const low = address & 0xff_ffffn;
  return `ff02::1:ff${hex(Number(low >> 16n))}:${(low & 0xffffn).toString(16)}`;
}
