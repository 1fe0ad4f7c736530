/** What the fake kernel holds, and its own rules about it (measured on a real one: see the kernel tests). */
import { cidrOf, contains, parseCidr, tryParseAddress } from '../../../shared/domain/cidr.ts';

export interface FakeLink {
  readonly name: string;
  readonly kind: string | null;
  up: boolean;
  mtu: number;
  mac: string;
  mode: 'eui64' | 'none';
  lower: string | null;
  vxlan: { id: number; local: string; port: number; learning: boolean; gbp: boolean } | null;
  /** `10.0.1.10/24`. */
  addresses: string[];
}

export interface FakeRoute {
  type: string;
  destination: string;
  via: string | null;
  dev: string | null;
  src: string | null;
  onlink: boolean;
  protocol: number;
  metric: number;
}

export interface FakeNeighbour {
  dev: string;
  address: string;
  mac: string;
  permanent: boolean;
}

export interface FakeFdbEntry {
  dev: string;
  mac: string;
  dst: string;
}

export interface KernelState {
  links: FakeLink[];
  routes: FakeRoute[];
  neighbours: FakeNeighbour[];
  fdb: FakeFdbEntry[];
  /** False: the kernel was started with `ipv6.disable=1`. */
  ipv6: boolean;
}

/** What the kernel answers instead of doing it. */
export class Refused extends Error {}

export function linkOf(state: KernelState, name: string): FakeLink {
  const link = state.links.find((candidate) => candidate.name === name);
  if (link === undefined) throw new Refused(`Cannot find device "${name}"`);
  return link;
}

/** A link that goes takes its rows, and the devices above it, along. */
export function deleteLink(state: KernelState, name: string): void {
  linkOf(state, name);
  state.links = state.links.filter((link) => link.name !== name);
  state.routes = state.routes.filter(({ dev }) => dev !== name);
  state.neighbours = state.neighbours.filter(({ dev }) => dev !== name);
  state.fdb = state.fdb.filter(({ dev }) => dev !== name);
  for (const upper of state.links.filter(({ lower }) => lower === name)) deleteLink(state, upper.name);
}

/** Routes and neighbours go for good, permanent ones too; FDB entries stay; connected routes come back. */
export function setUp(state: KernelState, name: string, up: boolean): void {
  const link = linkOf(state, name);
  const rival = state.links.find(
    (other) =>
      other !== link &&
      other.up &&
      other.vxlan?.port === link.vxlan?.port &&
      other.vxlan?.local.includes(':') === link.vxlan?.local.includes(':') &&
      other.vxlan?.gbp !== link.vxlan?.gbp,
  );
  if (up && link.vxlan !== null && rival?.vxlan) throw new Refused('RTNETLINK answers: Address already in use');
  link.up = up;
  if (up) for (const address of link.addresses) connect(state, link, address);
  else {
    state.routes = state.routes.filter(({ dev }) => dev !== name);
    state.neighbours = state.neighbours.filter(({ dev }) => dev !== name);
  }
}

export function connect(state: KernelState, link: FakeLink, address: string): void {
  const network = parseCidr(address, 'address');
  if (!link.up || (network.family === 'ipv4' && network.length === 32)) return;
  state.routes.push({
    type: 'unicast',
    destination: network.text,
    via: null,
    dev: link.name,
    src: network.family === 'ipv4' ? (address.split('/')[0] ?? null) : null,
    onlink: false,
    protocol: 2,
    metric: network.family === 'ipv4' ? 0 : 256,
  });
}

export function deleteAddress(state: KernelState, name: string, address: string): void {
  const link = linkOf(state, name);
  if (!link.addresses.includes(address)) throw new Refused('RTNETLINK answers: Cannot assign requested address');
  link.addresses = link.addresses.filter((other) => other !== address);
  const [host = ''] = address.split('/');
  const gone = parseCidr(address, 'address').text;
  state.routes = state.routes.filter((route) => {
    if (route.protocol === 2) return route.dev !== name || route.destination !== gone;
    return route.src !== host && (route.dev !== name || route.via === null || isReachable(state, route));
  });
}

/** A gateway is on-link at its device, link-local, or asserted to be. */
export function isReachable(state: KernelState, route: FakeRoute): boolean {
  const gateway = tryParseAddress(route.via);
  if (gateway === null || route.onlink || route.via?.startsWith('fe80:')) return true;
  const host = cidrOf(gateway.family, gateway.value, gateway.family === 'ipv4' ? 32 : 128);
  const { addresses } = linkOf(state, route.dev ?? '');
  return addresses.some((address) => contains(parseCidr(address, 'address'), host));
}
