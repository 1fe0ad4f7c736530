/**
 * The path from one node to another's lease: `vpc`, `host-gw` or `vxlan`.
 *
 * From the map alone and symmetric, so that both ends decide alike without talking to each other. A same-segment pair
 * gains nothing from a VPC route, so host-gw comes first and the pair does not move when a table flaps.
 */
import { bitsOf, cidrOf, type Family, tryParseAddress } from './cidr.ts';
import type { BackendConfig, NodeBackend } from './network-config.ts';
import type { AgentLease, AgentMap } from './read-map.ts';

export type PathKind = 'vpc' | 'host-gw' | 'vxlan';

export type Path =
  | { readonly kind: PathKind; readonly why: string }
  /** No path: the peer is named, and the rest goes on. */
  | { readonly kind: null; readonly why: string };

export interface PathWorld extends Pick<AgentMap, 'config' | 'tables'> {
  /** Prefix lengths on the uplink: what an absent segment is derived with. Null: no address of the family. */
  readonly onLinkPrefix: Readonly<Record<Family, number | null>>;
}

export function nodeBackendOf(backend: BackendConfig): NodeBackend | null {
  return backend.type === 'aws-vpc' ? backend.fallback : backend;
}

export function nodeAddressOf(lease: AgentLease, family: Family): string | null {
  return family === 'ipv4' ? lease.nodeIp : lease.nodeIpv6;
}

export function pathBetween(me: AgentLease, peer: AgentLease, world: PathWorld, family: Family): Path {
  const { backend } = world.config;
  const node = nodeBackendOf(backend);
  const vpc = backend.type === 'aws-vpc' ? routedBetween(me, peer, world, family) : null;
  // Without a fallback there is nothing else: the network's one row leads to the VPC router, confirmed or not.
  if (node === null) return { kind: 'vpc', why: vpc?.why ?? 'the backend is aws-vpc' };

  const unaddressed = lacking('address', me, peer, family);
  const reasons: string[] = [];
  if (node.type === 'host-gw' || node.directRouting) {
    const neighbours = neighbourhood(me, peer, world, family);
    if (neighbours.same && unaddressed === null) return { kind: 'host-gw', why: neighbours.why };
    reasons.push(neighbours.same ? (unaddressed ?? '') : neighbours.why);
  }
  if (vpc?.routed === true) return { kind: 'vpc', why: vpc.why };
  if (vpc !== null) reasons.push(vpc.why);

  const obstacle =
    node.type === 'vxlan' ? (unaddressed ?? lacking('VTEP MAC', me, peer, family)) : 'the backend has no tunnel';
  if (obstacle !== null) return { kind: null, why: `no path: ${[...new Set([...reasons, obstacle])].join('; ')}` };
  return { kind: 'vxlan', why: reasons.length === 0 ? 'the backend is vxlan' : reasons.join('; ') };
}

/** A sentence about the first of the two that lacks the thing; null: both have it. */
function lacking(thing: 'address' | 'VTEP MAC', me: AgentLease, peer: AgentLease, family: Family): string | null {
  const has = (lease: AgentLease): boolean =>
    (thing === 'address' ? nodeAddressOf(lease, family) : lease.vtepMac) !== null;
  const lease = [me, peer].find((candidate) => !has(candidate));
  if (lease === undefined) return null;
  const what = thing === 'VTEP MAC' ? thing : family === 'ipv4' ? 'IPv4 address' : 'IPv6 address';
  return `the node of ${lease.name} has no ${what}`;
}

interface Neighbours {
  readonly same: boolean;
  readonly why: string;
}

function neighbourhood(me: AgentLease, peer: AgentLease, world: PathWorld, family: Family): Neighbours {
  const [mine, theirs] = [segmentIn(me, world, family), segmentIn(peer, world, family)];
  if (mine === null || theirs === null) {
    return { same: false, why: `${mine === null ? me.name : peer.name} has no known segment` };
  }
  return mine === theirs
    ? { same: true, why: `both nodes are on segment ${mine}` }
    : { same: false, why: `other segment: ${mine} here, ${theirs} there` };
}

/**
 * A segment that the map gives is final. An absent one is the block that holds the node's address: of
 * `LocalNetworkMask` (IPv4 alone), else of the uplink's prefix length, where an address without an on-link prefix has no neighbours.
 */
export function segmentIn(lease: AgentLease, world: PathWorld, family: Family): string | null {
  if (lease.segment !== undefined) return lease.segment;
  const mask = nodeBackendOf(world.config.backend)?.localNetworkMask ?? null;
  const prefix = world.onLinkPrefix[family];
  const onLink = prefix === null || prefix >= bitsOf(family) ? null : blockOf(nodeAddressOf(lease, family), prefix);
  if (mask === null) return onLink;
  const masked = blockOf(lease.nodeIp, mask);
  if (family === 'ipv4' || masked === null) return family === 'ipv4' ? masked : onLink;
  return onLink === null ? null : `${masked} ${onLink}`;
}

function blockOf(address: string | null, length: number): string | null {
  const parsed = tryParseAddress(address);
  return parsed === null ? null : cidrOf(parsed.family, parsed.value, length).text;
}

/** Both directions: a table is asked for the other end's lease. */
function routedBetween(
  me: AgentLease,
  peer: AgentLease,
  world: PathWorld,
  family: Family,
): { readonly routed: boolean; readonly why: string } {
  const mine = tableOf(me, world);
  const theirs = tableOf(peer, world);
  if (mine === null || theirs === null) {
    return {
      routed: false,
      why: `the VPC subnet of ${mine === null ? me.name : peer.name} has no listed table that is complete`,
    };
  }
  const routedIn = (lease: AgentLease): readonly string[] => (family === 'ipv4' ? lease.routedIn : lease.ipv6RoutedIn);
  if (!routedIn(peer).includes(mine)) return { routed: false, why: `${peer.name} is not routed in ${mine}` };
  if (!routedIn(me).includes(theirs)) return { routed: false, why: `${me.name} is not routed in ${theirs}` };
  const tables = mine === theirs ? mine : `${mine} and ${theirs}`;
  return { routed: true, why: `routed by the VPC in ${tables}` };
}

/** The table that routes the packets of the lease's node: listed, and once complete. */
function tableOf(lease: AgentLease, { tables }: PathWorld): string | null {
  const { subnetId } = lease;
  if (subnetId === null) return null;
  return tables.find((table) => !table.filling && table.subnets.includes(subnetId))?.id ?? null;
}
