/** The host's links, addresses and routes of table main, as far as the choice of an interface needs them. */
import { bitsOf, type Family, tryParseAddress, tryParseCidr } from '../../shared/domain/cidr.ts';
import { isMembers, type Members, numberIn, readDump, textIn, textsIn } from '../linux/dump.ts';
import type { Runner } from '../linux/runner.ts';

export interface HostAddress {
  readonly family: Family;
  /** Canonical. */
  readonly address: string;
  readonly prefix: number;
  readonly scope: 'global' | 'link' | 'host';
  /** Of DHCP or a router advertisement. */
  readonly dynamic: boolean;
  readonly temporary: boolean;
  readonly deprecated: boolean;
  /** Not (yet) known to be nobody else's. */
  readonly unusable: boolean;
  /** The kernel made no connected route of it. */
  readonly noPrefixRoute: boolean;
}

export interface HostLink {
  readonly index: number;
  readonly name: string;
  readonly mac: string | null;
  readonly mtu: number;
  readonly up: boolean;
  readonly loopback: boolean;
  /** `bridge`, `vxlan`, ...; null: of no kind, as a card. */
  readonly kind: string | null;
  readonly addresses: readonly HostAddress[];
}

export interface HostRoute {
  readonly family: Family;
  /** `default`, or a CIDR in canonical form. */
  readonly destination: string;
  readonly dev: string;
  readonly gateway: string | null;
  readonly metric: number;
}

export interface HostNetwork {
  readonly links: readonly HostLink[];
  readonly routes: readonly HostRoute[];
}

/** @throws CommandFailed, or Error when what was printed is no dump */
export async function readHostNetwork(runner: Runner): Promise<HostNetwork> {
  const [links, ipv4, ipv6] = await Promise.all([
    readDump(runner, ['ip', '-N', '-json', '-details', 'address', 'show']),
    readDump(runner, ['ip', '-N', '-json', '-4', 'route', 'show', 'table', 'main']),
    readDump(runner, ['ip', '-N', '-json', '-6', 'route', 'show', 'table', 'main']),
  ]);
  return {
    links: links.flatMap((members) => parseLink(members) ?? []),
    routes: [
      ...ipv4.flatMap((members) => parseRoute(members, 'ipv4') ?? []),
      ...ipv6.flatMap((members) => parseRoute(members, 'ipv6') ?? []),
    ],
  };
}

export function parseLink(members: Members): HostLink | null {
  const name = textIn(members, 'ifname');
  if (name === null) return null;
  const flags = textsIn(members, 'flags');
  const info = members['linkinfo'];
  const addresses = Array.isArray(members['addr_info']) ? members['addr_info'].filter(isMembers) : [];
  return {
    index: numberIn(members, 'ifindex') ?? 0,
    name,
    mac: textIn(members, 'address')?.toLowerCase() ?? null,
    mtu: numberIn(members, 'mtu') ?? 0,
    up: flags.includes('UP'),
    loopback: flags.includes('LOOPBACK'),
    kind: isMembers(info) ? textIn(info, 'info_kind') : null,
    addresses: addresses.flatMap((address) => parseAddress(address) ?? []),
  };
}

/** Names and, under `-N`, numbers (RT_SCOPE_LINK, RT_SCOPE_HOST). */
const scopes: Readonly<Record<string, HostAddress['scope']>> = {
  link: 'link',
  '253': 'link',
  host: 'host',
  '254': 'host',
};

function parseAddress(members: Members): HostAddress | null {
  const address = tryParseAddress(textIn(members, 'local'));
  if (address === null) return null;
  return {
    family: address.family,
    address: address.text,
    prefix: numberIn(members, 'prefixlen') ?? bitsOf(address.family),
    scope: scopes[textIn(members, 'scope') ?? ''] ?? 'global',
    dynamic: members['dynamic'] === true,
    temporary: members['temporary'] === true,
    deprecated: members['deprecated'] === true,
    unusable: members['tentative'] === true || members['dadfailed'] === true,
    noPrefixRoute: members['noprefixroute'] === true,
  };
}

/** Null for what forwards by no device: unreachable, blackhole and the like. */
export function parseRoute(members: Members, family: Family): HostRoute | null {
  const hops = Array.isArray(members['nexthops']) ? members['nexthops'].filter(isMembers) : [];
  const hop = textIn(members, 'dev') === null ? (hops[0] ?? members) : members;
  const dev = textIn(hop, 'dev');
  const dst = textIn(members, 'dst');
  if (dev === null || dst === null) return null;
  const via = isMembers(hop['via']) ? textIn(hop['via'], 'host') : null;
  return {
    family,
    destination:
      dst === 'default' ? dst : (tryParseCidr(dst.includes('/') ? dst : `${dst}/${bitsOf(family)}`)?.text ?? dst),
    dev,
    gateway: tryParseAddress(textIn(hop, 'gateway') ?? via)?.text ?? null,
    metric: numberIn(members, 'metric') ?? 0,
  };
}
