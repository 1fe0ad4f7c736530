/** The interface towards the peers, and what the node knows of itself by it. */
import { bitsOf, type Cidr, cidrOf, type Family, tryParseAddress } from '../../shared/domain/cidr.ts';
import { isOurDeviceName, type KernelRoute, ourProtocol } from '../../shared/domain/kernel-rows.ts';
import type { NodeAddress, NodeFacts } from '../../shared/domain/node-facts.ts';
import { interfacePattern } from '../identity/interface-pattern.ts';
import type { Link, LinkAddress } from './read-links.ts';

export interface NodeChoices {
  readonly instanceId: string;
  /** A name, an address or a pattern such as `ens*`; null: that of the default route. */
  readonly interface: string | null;
  /** Overrides of the own lease's node addresses. */
  readonly nodeAddresses: Readonly<Record<Family, string | null>>;
  readonly gateways: Readonly<Record<Family, string | null>>;
}

/** The node has no uplink at present: nothing can be concluded, and nothing is changed. */
export class NoUplink extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoUplink';
  }
}

/**
 * @param networks The network's ranges: a row of ours for one of them remembers the router.
 * @throws NoUplink
 */
export function nodeFacts(
  choices: NodeChoices,
  leased: Readonly<Record<Family, string | null>>,
  links: readonly Link[],
  routes: readonly KernelRoute[],
  networks: readonly Cidr[],
): NodeFacts {
  const wanted = {
    ipv4: choices.nodeAddresses.ipv4 ?? leased.ipv4,
    ipv6: choices.nodeAddresses.ipv6 ?? leased.ipv6,
  };
  const uplink = chooseUplink(choices.interface, wanted, links, routes);
  if (!uplink.up) throw new NoUplink(`${uplink.name} is down`);
  const routerOf = (family: Family): string | null =>
    choices.gateways[family] ?? gatewayOf(uplink, family, routes) ?? lastRouter(uplink, family, routes, networks);
  return {
    instanceId: choices.instanceId,
    uplink: uplink.name,
    uplinkMtu: uplink.mtu,
    addresses: { ipv4: addressOf(uplink, 'ipv4', wanted.ipv4), ipv6: addressOf(uplink, 'ipv6', wanted.ipv6) },
    routers: { ipv4: routerOf('ipv4') ?? firstAddress(uplink), ipv6: routerOf('ipv6') },
    localNetworks: uplink.addresses.filter(({ prefix, family }) => prefix < bitsOf(family)).flatMap(networkOf),
  };
}

/** `--interface`, else the one that has the node's address, else the default route's. */
export function chooseUplink(
  wanted: string | null,
  addresses: Readonly<Record<Family, string | null>>,
  links: readonly Link[],
  routes: readonly KernelRoute[],
): Link {
  const candidates = links.filter(({ name, kind }) => name !== 'lo' && !(isOurDeviceName(name) && kind === 'vxlan'));
  const holding = (address: string | null | undefined): Link | undefined =>
    candidates.find((link) => link.addresses.some((own) => own.address === address));
  if (wanted !== null) {
    const found =
      candidates.find(({ name }) => name === wanted) ??
      holding(tryParseAddress(wanted)?.text ?? null) ??
      candidates.find(fitting(wanted));
    if (found === undefined) throw new NoUplink(`no interface is, has or matches ${wanted}`);
    return found;
  }
  const defaults = routes
    .filter(({ destination, type }) => type === 'unicast' && (destination === '0.0.0.0/0' || destination === '::/0'))
    .sort((a, b) => (a.family === b.family ? a.metric - b.metric : a.family === 'ipv4' ? -1 : 1));
  const found =
    holding(addresses.ipv4) ?? holding(addresses.ipv6) ?? candidates.find(({ name }) => name === defaults[0]?.dev);
  if (found === undefined) {
    throw new NoUplink('no interface has the node address, and there is no default route: give --interface');
  }
  return found;
}

function fitting(wanted: string): (link: Link) => boolean {
  const pattern = interfacePattern(wanted);
  if (pattern === null) return () => false;
  return ({ name, addresses }) => pattern.test(name) || addresses.some(({ address }) => pattern.test(address));
}

/** The leased address where the uplink has it, else the uplink's first: an advertised address is another machine's. */
function addressOf(uplink: Link, family: Family, wanted: string | null): NodeAddress | null {
  const own = uplink.addresses.filter((candidate) => candidate.family === family && candidate.global);
  const found = own.find(({ address }) => address === wanted) ?? own[0];
  return found === undefined ? null : { address: found.address, onLinkPrefix: found.prefix };
}

function gatewayOf(uplink: Link, family: Family, routes: readonly KernelRoute[]): string | null {
  const destination = family === 'ipv4' ? '0.0.0.0/0' : '::/0';
  const defaults = routes.filter(
    (route) => route.destination === destination && route.dev === uplink.name && route.via !== null,
  );
  return defaults.sort((a, b) => a.metric - b.metric)[0]?.via ?? null;
}

/**
 * The next hop of the network's own row. DHCP clients and router advertisements take the default route away for seconds or
 * for good, and a router that is not known at present is no reason to delete the row that leads to it.
 */
function lastRouter(
  uplink: Link,
  family: Family,
  routes: readonly KernelRoute[],
  networks: readonly Cidr[],
): string | null {
  const isNetwork = ({ destination }: KernelRoute) =>
    networks.some((network) => network.family === family && network.text === destination);
  const row = routes.find((route) => route.protocol === ourProtocol && route.dev === uplink.name && isNetwork(route));
  return row?.via ?? null;
}

/** AWS keeps the first address of every subnet's range for the VPC router. */
function firstAddress(uplink: Link): string | null {
  const own = uplink.addresses.find(({ family, global, prefix }) => family === 'ipv4' && global && prefix < 31);
  const [network] = own === undefined ? [] : networkOf(own);
  return network === undefined ? null : cidrOf('ipv4', network.base + 1n, 32).text.replace('/32', '');
}

function networkOf({ family, address, prefix }: LinkAddress): Cidr[] {
  const parsed = tryParseAddress(address);
  return parsed === null ? [] : [cidrOf(family, parsed.value, prefix)];
}
