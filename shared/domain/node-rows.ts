/**
 * From the map to everything that a node's kernel shall hold: pure, the same text for the same world.
 *
 *   path    | FDB entry      | neighbour            | route
 *   --------|----------------|----------------------|--------------------------------------------------
 *   host-gw |                |                      | <subnet> via <peer> dev <uplink> src <me>
 *   vxlan   | MAC -> peer    | <tunnel IP> -> MAC   | <subnet> via <tunnel IP> dev lw-<VNI> onlink
 *   vpc     |                |                      | none of its own: <network> via <router> dev <uplink>
 *
 * Once a node: its own subnet and, without the VPC, the whole network as `unreachable`.
 */
import { baseAddress, bitsOf, type Cidr, compareCidrs, type Family } from './cidr.ts';
import {
  deviceName,
  type FdbEntry,
  type KernelRoute,
  lastResortMetric,
  type Neighbour,
  ourMetric,
  ourProtocol,
} from './kernel-rows.ts';
import { subnetOf } from './lease.ts';
import { linkLocalOf } from './link-local.ts';
import type { FamilyConfig } from './network-config.ts';
import type { NodeFacts } from './node-facts.ts';
import { nodeAddressOf, nodeBackendOf, type PathKind, type PathWorld, pathBetween } from './path.ts';
import { announcedMtu, deviceMtu } from './path-mtu.ts';
import type { AgentLease, AgentMap, RefusedLease } from './read-map.ts';
import { refuseLeases } from './refuse-leases.ts';

/** A vxlan device as it shall be. */
export interface DeviceSpec {
  readonly name: string;
  readonly family: Family;
  readonly vni: number;
  readonly port: number;
  readonly mac: string;
  /** The outer source address. */
  readonly local: string;
  /** The lower link. */
  readonly lower: string;
  readonly mtu: number;
  readonly learning: boolean;
  readonly gbp: boolean;
  /** The own subnet's first address as a host's, with its length. */
  readonly address: string;
}

/** One remote lease in one family. */
export interface PeerRows {
  readonly subnet: string;
  readonly instanceId: string | null;
  readonly path: PathKind | null;
  readonly via: string | null;
  readonly dev: string | null;
  readonly why: string;
}

export interface NodeRows {
  readonly devices: readonly DeviceSpec[];
  readonly fdb: readonly FdbEntry[];
  readonly neighbours: readonly Neighbour[];
  readonly routes: readonly KernelRoute[];
  readonly peers: readonly PeerRows[];
  /** Leases that are not programmed: malformed, hostile. */
  readonly refused: readonly RefusedLease[];
  /** Families without an address on the uplink at present: nothing is known of them, so their rows are left as they are. */
  readonly untouched: readonly Family[];
  /** What else is wrong, a sentence each. */
  readonly problems: readonly string[];
  /** What pods are told. */
  readonly mtu: number;
}

const programmed: ReadonlySet<AgentLease['state']> = new Set(['active', 'leaving', 'stale']);

export function isProgrammed(lease: AgentLease): boolean {
  return programmed.has(lease.state);
}

/** `own` is a lease of `map`; see `own-lease.ts`. */
export function nodeRows(map: AgentMap, own: AgentLease, facts: NodeFacts): NodeRows {
  const others = map.leases.filter((lease) => lease !== own && isProgrammed(lease));
  const { accepted, refused } = refuseLeases(others, own, map.config, facts);
  const world: PathWorld = {
    config: map.config,
    tables: map.tables,
    onLinkPrefix: {
      ipv4: facts.addresses.ipv4?.onLinkPrefix ?? null,
      ipv6: facts.addresses.ipv6?.onLinkPrefix ?? null,
    },
  };
  const peers = [...accepted].sort((a, b) => compareCidrs(a.subnet, b.subnet));
  const parts = map.config.families.map((family) => familyRows({ map, own, facts, world, peers, family }));
  return {
    devices: parts.flatMap((part) => part.devices),
    fdb: parts.flatMap((part) => part.fdb),
    neighbours: parts.flatMap((part) => part.neighbours),
    routes: parts.flatMap((part) => part.routes),
    peers: parts.flatMap((part) => part.peers),
    refused: [...map.refused, ...refused],
    untouched: map.config.families.map(({ family }) => family).filter((family) => isUnaddressed(own, facts, family)),
    problems: parts.flatMap((part) => part.problems),
    mtu: announcedMtu(map.config, facts.uplinkMtu),
  };
}

interface FamilyWorld {
  readonly map: AgentMap;
  readonly own: AgentLease;
  readonly facts: NodeFacts;
  readonly world: PathWorld;
  readonly peers: readonly AgentLease[];
  readonly family: FamilyConfig;
}

interface FamilyPart {
  readonly devices: DeviceSpec[];
  readonly fdb: FdbEntry[];
  readonly neighbours: Neighbour[];
  readonly routes: KernelRoute[];
  readonly peers: PeerRows[];
  readonly problems: string[];
}

function familyRows({ map, own, facts, world, peers, family: { family, network } }: FamilyWorld): FamilyPart {
  const part: FamilyPart = { devices: [], fdb: [], neighbours: [], routes: [], peers: [], problems: [] };
  const ownSubnet = subnetOf(own, family);
  if (ownSubnet === null) {
    part.problems.push(`${own.name} has no ${nameOf(family)} subnet: nothing of that family is programmed`);
    return part;
  }
  if (isUnaddressed(own, facts, family)) {
    const why = `${facts.uplink} has no ${nameOf(family)} address at present: rows of that family stay as they are`;
    part.problems.push(why);
    for (const peer of peers) {
      const subnet = subnetOf(peer, family)?.text;
      if (subnet === undefined) continue;
      part.peers.push({ subnet, instanceId: peer.instanceId, path: null, via: null, dev: null, why });
    }
    return part;
  }
  part.routes.push(unreachable(family, ownSubnet, lastResortMetric));
  const router = facts.routers[family];
  if (map.config.backend.type !== 'aws-vpc') part.routes.push(unreachable(family, network, ourMetric));
  else if (router === null)
    part.problems.push(`the VPC router's ${nameOf(family)} address is not known: give --gateway`);
  else part.routes.push(unicast(family, network, { via: router, dev: facts.uplink, src: null, onlink: false }));

  const device = deviceOf(map, own, facts, family, ownSubnet);
  if (device !== null) part.devices.push(device);
  for (const peer of peers) {
    const subnet = subnetOf(peer, family);
    if (subnet === null) continue;
    const add = (path: PathKind | null, via: string | null, dev: string | null, why: string): void => {
      part.peers.push({ subnet: subnet.text, instanceId: peer.instanceId, path, via, dev, why });
    };
    const path = pathBetween(own, peer, world, family);
    const address = nodeAddressOf(peer, family);
    const me = facts.addresses[family];
    if (path.kind === 'vpc') {
      if (router === null) add(null, null, null, `no path: ${path.why}, but the VPC router is not known`);
      else add('vpc', router, facts.uplink, path.why);
    } else if (path.kind === null || address === null) {
      add(null, null, null, path.why);
    } else if (me === null) {
      add(null, null, null, `no path: ${facts.uplink} has no ${nameOf(family)} address`);
    } else if (path.kind === 'host-gw') {
      part.routes.push(unicast(family, subnet, { via: address, dev: facts.uplink, src: me.address, onlink: false }));
      add('host-gw', address, facts.uplink, path.why);
    } else if (device !== null && peer.vtepMac !== null) {
      const via = family === 'ipv4' ? baseAddress(subnet) : linkLocalOf(peer.vtepMac);
      part.fdb.push({ dev: device.name, mac: peer.vtepMac, dst: address, special: false });
      part.neighbours.push({ dev: device.name, address: via, mac: peer.vtepMac, permanent: true });
      part.routes.push(unicast(family, subnet, { via, dev: device.name, src: null, onlink: family === 'ipv4' }));
      add('vxlan', via, device.name, path.why);
    } else {
      add(null, null, null, 'no path: this node has no VTEP');
    }
  }
  return part;
}

/**
 * The map gives the node an address and the uplink has none: one that is being moved or renewed, or that went with the
 * link (IPv6 addresses do), must not look like a node without peers.
 */
function isUnaddressed(own: AgentLease, facts: NodeFacts, family: Family): boolean {
  return subnetOf(own, family) !== null && nodeAddressOf(own, family) !== null && facts.addresses[family] === null;
}

/** Wanted wherever the configuration can choose the tunnel, so that it is there before the first peer needs it. */
function deviceOf(
  map: AgentMap,
  own: AgentLease,
  facts: NodeFacts,
  family: Family,
  ownSubnet: Cidr,
): DeviceSpec | null {
  const backend = nodeBackendOf(map.config.backend);
  const me = facts.addresses[family];
  if (backend?.type !== 'vxlan' || own.vtepMac === null || me === null) return null;
  return {
    name: deviceName(backend.vni, family),
    family,
    vni: backend.vni,
    port: backend.port,
    mac: own.vtepMac,
    local: me.address,
    lower: facts.uplink,
    mtu: deviceMtu(map.config, facts.uplinkMtu, family),
    learning: backend.learning,
    gbp: backend.gbp,
    address: `${baseAddress(ownSubnet)}/${bitsOf(family)}`,
  };
}

type Way = Pick<KernelRoute, 'via' | 'dev' | 'src' | 'onlink'>;

function unicast(family: Family, destination: Cidr, way: Way): KernelRoute {
  return { ...rowOf(family, destination, ourMetric), type: 'unicast', ...way };
}

function unreachable(family: Family, destination: Cidr, metric: number): KernelRoute {
  return { ...rowOf(family, destination, metric), type: 'unreachable', via: null, dev: null, src: null, onlink: false };
}

function rowOf(family: Family, destination: Cidr, metric: number) {
  return { family, destination: destination.text, metric, tos: 0, protocol: ourProtocol, special: false };
}

function nameOf(family: Family): string {
  return family === 'ipv4' ? 'IPv4' : 'IPv6';
}
