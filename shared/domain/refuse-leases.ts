/**
 * Leases that are well formed and may not be programmed all the same: whoever could write one would take over the traffic
 * of a peer, of the node's own network, or of everything. Each is refused by itself and by name.
 */
import { type Cidr, cidrOf, contains, type Family, overlaps, subnetIndex, tryParseAddress } from './cidr.ts';
import { subnetOf } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import type { NodeFacts } from './node-facts.ts';
import { nodeAddressOf } from './path.ts';
import type { AgentLease, RefusedLease } from './read-map.ts';

export interface SortedLeases {
  readonly accepted: readonly AgentLease[];
  readonly refused: readonly RefusedLease[];
}

/** Of two leases that claim the same, the own one keeps it, then the first in the order of the map. */
export function refuseLeases(
  peers: readonly AgentLease[],
  own: AgentLease,
  config: NetworkConfig,
  facts: NodeFacts,
): SortedLeases {
  const holders = new Map<string, AgentLease>();
  const claim = (lease: AgentLease): void => {
    for (const thing of uniqueThings(lease, config)) holders.set(thing, lease);
  };
  claim(own);
  const accepted: AgentLease[] = [];
  const refused: RefusedLease[] = [];
  for (const lease of peers) {
    const problem = problemOf(lease, own, config, facts) ?? sharedThing(lease, own, config, holders);
    if (problem !== null) {
      refused.push({ name: lease.name, instanceId: lease.instanceId, problem });
      continue;
    }
    claim(lease);
    accepted.push(lease);
  }
  return { accepted, refused };
}

/** What one lease alone may have. */
function uniqueThings(lease: AgentLease, { families }: NetworkConfig): string[] {
  const subnets = families.flatMap(({ family }) => subnetOf(lease, family) ?? []);
  const { vtepMac } = lease;
  return [...subnets.map(({ text }) => `subnet ${text}`), ...(vtepMac === null ? [] : [`VTEP MAC ${vtepMac}`])];
}

function sharedThing(
  lease: AgentLease,
  own: AgentLease,
  config: NetworkConfig,
  holders: ReadonlyMap<string, AgentLease>,
): string | null {
  for (const thing of uniqueThings(lease, config)) {
    const holder = holders.get(thing);
    if (holder === own) return `${thing} is that of this node already`;
    if (holder === undefined) continue;
    const subnet = thing === `subnet ${holder.name}` ? '' : ` (${holder.name})`;
    return `${thing} is held by instance ${holder.instanceId}${subnet} already`;
  }
  return null;
}

function problemOf(lease: AgentLease, own: AgentLease, config: NetworkConfig, facts: NodeFacts): string | null {
  if (lease.instanceId === own.instanceId) return `instance ${own.instanceId} is this node, which holds ${own.name}`;
  const problem = subnetProblem(lease, config);
  if (problem !== null) return problem;
  for (const { family } of config.families) {
    const subnet = subnetOf(lease, family);
    const local = subnet && facts.localNetworks.find((network) => overlaps(network, subnet));
    if (local) return `subnet ${subnet.text} overlaps this node's own network ${local.text}`;
  }
  for (const family of ['ipv4', 'ipv6'] as const) {
    const addressProblem = nodeAddressProblem(lease, family, own, config, facts);
    if (addressProblem !== null) return addressProblem;
  }
  return null;
}

/** Whether the subnets are ones that the configuration could have granted; of the own lease too. */
export function subnetProblem(lease: AgentLease, config: NetworkConfig): string | null {
  const [first] = config.families;
  if (first !== undefined && lease.subnet.family !== first.family) {
    return `subnet ${lease.subnet.text} is not of the network's first family`;
  }
  for (const { family, network, subnetLen } of config.families) {
    const subnet = subnetOf(lease, family);
    if (subnet === null) continue;
    if (!contains(network, subnet)) return `subnet ${subnet.text} is outside the network ${network.text}`;
    if (subnet.length !== subnetLen) return `subnet ${subnet.text} is not a /${subnetLen}`;
    const taboo = config.protected.find((range) => overlaps(range, subnet));
    if (taboo !== undefined) return `subnet ${subnet.text} overlaps the protected range ${taboo.text}`;
  }
  return indexProblem(lease, config);
}

/** The rule that lets the IPv4 subnet alone prove that both are held once: see `dual-stack.ts`. */
function indexProblem({ subnet, ipv6Subnet }: AgentLease, { families: [first, second] }: NetworkConfig): string | null {
  if (first === undefined || second === undefined || ipv6Subnet === null) return null;
  if (subnetIndex(first.network, subnet) === subnetIndex(second.network, ipv6Subnet)) return null;
  return `subnet ${ipv6Subnet.text} has not the index in ${second.network.text} that ${subnet.text} has in ${first.network.text}`;
}

function nodeAddressProblem(
  lease: AgentLease,
  family: Family,
  own: AgentLease,
  config: NetworkConfig,
  facts: NodeFacts,
): string | null {
  const text = nodeAddressOf(lease, family);
  const host = hostOf(text);
  if (text === null || host === null) return null;
  const inside = config.families.find(({ network }) => contains(network, host));
  if (inside !== undefined) return `node address ${text} is inside the network ${inside.network.text}`;
  if (text === facts.addresses[family]?.address || text === nodeAddressOf(own, family)) {
    return `node address ${text} is that of this node`;
  }
  if (text === facts.routers[family]) return `node address ${text} is that of the router`;
  return null;
}

function hostOf(text: string | null): Cidr | null {
  const address = tryParseAddress(text);
  return address && cidrOf(address.family, address.value, address.family === 'ipv4' ? 32 : 128);
}
