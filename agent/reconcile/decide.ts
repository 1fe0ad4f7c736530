/** What a pass wants: from the map and what the node knows of itself, before anything is written. */
import { bitsOf, type Cidr, contains, tryParseCidr } from '../../shared/domain/cidr.ts';
import type { KernelRoute } from '../../shared/domain/kernel-rows.ts';
import type { NodeFacts } from '../../shared/domain/node-facts.ts';
import { type GuardedMap, type GuardState, holdPeers } from '../../shared/domain/node-guard.ts';
import { type NodeRows, nodeRows } from '../../shared/domain/node-rows.ts';
import { ownLease, whyNoOwnLease } from '../../shared/domain/own-lease.ts';
import type { AgentLease, AgentMap } from '../../shared/domain/read-map.ts';
import { type Link, readLinks } from '../linux/read-links.ts';
import { readRoutes } from '../linux/read-routes.ts';
import { NoUplink, nodeFacts } from '../linux/uplink.ts';
import { addressesElsewhere, wrongChoice } from './node-addresses.ts';
import type { NodeWorld } from './node-world.ts';

export interface PassInput {
  readonly map: AgentMap;
  /** Whether it is a further map, not the last one again. */
  readonly isNew: boolean;
  readonly guard: GuardState;
}

/** What a pass wants, before anything is written. */
export interface Decision {
  readonly own: AgentLease;
  readonly facts: NodeFacts;
  /** As they were read. */
  readonly links: readonly Link[];
  readonly routes: readonly KernelRoute[];
  readonly wanted: NodeRows;
  readonly guarded: GuardedMap;
}

/** A sentence where nothing may be changed. @throws Error when the kernel could not be read: unknown is not empty. */
export async function decide(world: NodeWorld, { map, isNew, guard }: PassInput): Promise<Decision | string> {
  const { runner, options } = world;
  const own = ownLease(map, options.instanceId);
  if (own === null) return `${whyNoOwnLease(map, options.instanceId)}: nothing is changed`;
  const [links, routes] = await Promise.all([readLinks(runner), readRoutes(runner)]);
  const networks = map.config.families.map(({ network }) => network);
  const facts = tryFacts(world, own, { links, routes, networks });
  if (typeof facts === 'string') return facts;
  const families = map.config.families.map(({ family }) => family);
  const wrong = wrongChoice(options.nodeAddresses, facts, families);
  if (wrong !== null) return `${wrong}: nothing is changed`;
  const inside = insideNetwork(facts, networks);
  if (inside !== null) return inside;
  const guarded = holdPeers(guard, map, own, { isNew, now: world.elapsed() });
  const rows = rowsFor(map, guarded, own, facts);
  if (rows.untouched.length === families.length) return rows.problems.join('; ');
  const elsewhere = addressesElsewhere(own, options.nodeAddresses, facts, families);
  const wanted = { ...rows, problems: [...rows.problems, ...elsewhere] };
  return { own, facts, links, routes, guarded, wanted };
}

/** The keeper refuses such a network, but a VPC may be given a range later, and a map may come from a file. */
function insideNetwork({ addresses, uplink }: NodeFacts, networks: readonly Cidr[]): string | null {
  for (const network of networks) {
    const address = addresses[network.family]?.address;
    const host = address && tryParseCidr(`${address}/${bitsOf(network.family)}`);
    if (!host || !contains(network, host)) continue;
    return `the address ${address} of ${uplink} is inside the network ${network.text}: nothing is changed`;
  }
  return null;
}

/** Most passes look at the same map with the same facts; 4,000 peers take a tenth of a second to decide. */
const remembered = new WeakMap<AgentMap, { readonly key: string; readonly rows: NodeRows }>();

function rowsFor(map: AgentMap, guarded: GuardedMap, own: AgentLease, facts: NodeFacts): NodeRows {
  const localNetworks = facts.localNetworks.map(({ text }) => text);
  const key = JSON.stringify([{ ...facts, localNetworks }, guarded.held.map(({ name }) => name)]);
  const known = remembered.get(map);
  if (known?.key === key) return known.rows;
  const rows = nodeRows(guarded.map, own, facts);
  remembered.set(map, { key, rows });
  return rows;
}

interface Host {
  readonly links: readonly Link[];
  readonly routes: readonly KernelRoute[];
  readonly networks: readonly Cidr[];
}

function tryFacts({ options }: NodeWorld, own: AgentLease, { links, routes, networks }: Host) {
  try {
    return nodeFacts(options, { ipv4: own.nodeIp, ipv6: own.nodeIpv6 }, links, routes, networks);
  } catch (error) {
    if (error instanceof NoUplink) return error.message;
    throw error;
  }
}
