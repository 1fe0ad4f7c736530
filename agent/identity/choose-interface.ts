/**
 * Which interface carries the node's traffic to other nodes, and which of its addresses is the node's.
 *
 * In this order: what `--interface` says (given several times, the first that fits), the interface that has `--node-ip`,
 * the one of the default route. Dual stack takes both addresses from one interface.
 */
import { bitsOf, type Family, parseCidr } from '../../shared/domain/cidr.ts';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import type { HostAddress, HostLink, HostNetwork } from './host-network.ts';
import { type LinkTest, linkTest } from './interface-pattern.ts';

interface ChosenAddress {
  /** Canonical. */
  readonly address: string;
  readonly prefix: number;
  /** The prefix whose addresses are neighbours by the kernel's own route; null: only a router is (a /32, a /128). */
  readonly onLinkPrefix: number | null;
}

export interface ChosenInterface {
  readonly name: string;
  readonly index: number;
  readonly mac: string | null;
  readonly mtu: number;
  readonly ipv4: ChosenAddress | null;
  readonly ipv6: ChosenAddress | null;
  /** Of the default route by this interface. */
  readonly gateway: string | null;
  readonly ipv6Gateway: string | null;
  /** A sentence for the log. */
  readonly why: string;
}

export interface InterfaceWishes {
  /** The values of `--interface`, in order. */
  readonly interfaces: readonly string[];
  readonly nodeIp: string | null;
  readonly nodeIpv6: string | null;
}

/** @throws InvalidInput that says which interfaces there are when none fits */
export function chooseInterface(host: HostNetwork, wishes: InterfaceWishes): ChosenInterface {
  const { link, why } = choose(host, wishes);
  const gateway = (family: Family) =>
    defaultRoutes(host, family).find(({ dev, gateway }) => dev === link.name && gateway !== null)?.gateway ?? null;
  return {
    name: link.name,
    index: link.index,
    mac: link.mac,
    mtu: link.mtu,
    ipv4: addressOf(host, link, 'ipv4', wishes.nodeIp),
    ipv6: addressOf(host, link, 'ipv6', wishes.nodeIpv6),
    gateway: gateway('ipv4'),
    ipv6Gateway: gateway('ipv6'),
    why,
  };
}

function choose(host: HostNetwork, { interfaces, nodeIp, nodeIpv6 }: InterfaceWishes): { link: HostLink; why: string } {
  for (const text of interfaces) {
    const link = firstOf(host, linkTest(text));
    if (link !== null) return { link, why: `${link.name} fits --interface ${text}` };
  }
  if (interfaces.length > 0) throw none(host, '--interface', interfaces.join(', '), 'fits no interface that is up');
  for (const address of [nodeIp, nodeIpv6]) {
    const link = address === null ? null : firstOf(host, linkTest(address));
    if (link !== null) return { link, why: `${link.name} has the address ${address}` };
  }
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const { dev } of defaultRoutes(host, family)) {
      const link = candidates(host).find(({ name }) => name === dev);
      if (link !== undefined) return { link, why: `${dev} has the default route` };
    }
  }
  throw none(host, '--interface', undefined, 'is needed, because there is no default route');
}

/** Our own tunnel devices are never lower links. */
function candidates({ links }: HostNetwork): readonly HostLink[] {
  return links.filter((link) => link.up && !link.loopback && !/^lw6?-[0-9]+$/.test(link.name));
}

/** Of several that fit, one with a default route, else the oldest: the order of a dump is no order. */
function firstOf(host: HostNetwork, fits: LinkTest): HostLink | null {
  const fitting = candidates(host).filter(fits);
  const routed = (['ipv4', 'ipv6'] as const).flatMap((family) => defaultRoutes(host, family)).map(({ dev }) => dev);
  const byRoute = routed.map((dev) => fitting.find(({ name }) => name === dev)).find((link) => link !== undefined);
  return byRoute ?? fitting.toSorted((a, b) => a.index - b.index)[0] ?? null;
}

function defaultRoutes({ routes }: HostNetwork, family: Family) {
  return routes
    .filter((route) => route.family === family && route.destination === 'default')
    .toSorted((a, b) => a.metric - b.metric);
}

function addressOf(host: HostNetwork, link: HostLink, family: Family, wanted: string | null): ChosenAddress | null {
  const best = link.addresses
    .filter(
      (address) => address.family === family && address.scope !== 'host' && !address.deprecated && !address.unusable,
    )
    .filter(({ address }) => wanted === null || address === wanted)
    // The sort is stable: among equals the first is the primary one.
    .toSorted((a, b) => rank(a) - rank(b))[0];
  if (best === undefined) return null;
  return { address: best.address, prefix: best.prefix, onLinkPrefix: onLinkPrefix(host, link, best) };
}

/** Global before link-local, permanent before dynamic, lasting before temporary (RFC 8981), as flannel prefers them. */
function rank({ scope, dynamic, temporary }: HostAddress): number {
  return Number(scope === 'link') * 4 + Number(temporary) * 2 + Number(dynamic);
}

function onLinkPrefix(
  { routes }: HostNetwork,
  link: HostLink,
  { family, address, ...own }: HostAddress,
): number | null {
  if (own.prefix >= bitsOf(family)) return null;
  if (!own.noPrefixRoute) return own.prefix;
  // Network managers ask the kernel for no route and make the connected one themselves.
  const block = parseCidr(`${address}/${own.prefix}`, 'address').text;
  const isConnected = routes.some(
    (route) => route.dev === link.name && route.gateway === null && route.destination === block,
  );
  return isConnected ? own.prefix : null;
}

function none(host: HostNetwork, field: string, value: string | undefined, problem: string): InvalidInput {
  const there = candidates(host).map(({ name, addresses }) => {
    const shown = addresses.filter(({ scope }) => scope === 'global').map(({ address }) => address);
    return shown.length === 0 ? name : `${name} (${shown.join(', ')})`;
  });
  return new InvalidInput(field, value, `${problem}; there is ${there.length === 0 ? 'none' : there.join(', ')}`);
}
