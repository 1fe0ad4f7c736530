/** One pass: read everything, decide, change what differs, say what is. The whole state of the node, each time anew. */
import type { Family } from '../../shared/domain/cidr.ts';
import { type KernelRoute, routeKind } from '../../shared/domain/kernel-rows.ts';
import { subnetOf } from '../../shared/domain/lease.ts';
import { movedAddresses } from '../../shared/domain/moved-addresses.ts';
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { NodeFacts } from '../../shared/domain/node-facts.ts';
import { type GuardedMap, type GuardState, holdPeers } from '../../shared/domain/node-guard.ts';
import { type NodeRows, nodeRows, ownLease } from '../../shared/domain/node-rows.ts';
import { nodeAddressOf } from '../../shared/domain/path.ts';
import type { AgentLease, AgentMap } from '../../shared/domain/read-map.ts';
import { subnetEnv } from '../../shared/domain/subnet-env.ts';
import { ensureDevices, ourDevices } from '../linux/devices.ts';
import { kernelTables } from '../linux/kernel-tables.ts';
import { retireDevices } from '../linux/lingering.ts';
import { ensureMasquerade } from '../linux/masquerade.ts';
import { masqueradeRules } from '../linux/masquerade-rules.ts';
import { type Link, readLinks } from '../linux/read-links.ts';
import { readRoutes } from '../linux/read-routes.ts';
import { ensureSettings } from '../linux/reverse-path.ts';
import type { Runner } from '../linux/runner.ts';
import { writeSubnetEnv } from '../linux/subnet-env-file.ts';
import type { Sysctls } from '../linux/sysctl.ts';
import type { SettingsRecord } from '../linux/sysctl-record.ts';
import { NoUplink, nodeFacts } from '../linux/uplink.ts';
import { type ApplyResult, applyPlans, planTables, readTables } from './apply-rows.ts';
import { foreignRows } from './foreign-rows.ts';
import type { NodeOptions } from './node-options.ts';
import type { AgentLog } from './ports.ts';
import type { PeerStatus } from './status.ts';

export interface NodeWorld {
  readonly runner: Runner;
  readonly sysctls: Sysctls;
  readonly record: SettingsRecord;
  readonly options: NodeOptions;
  readonly log: AgentLog;
  /** Epoch milliseconds. */
  now(): number;
}

export interface PassResult {
  /** Own lease known and programmed, own devices up, every healthy row read back. */
  readonly ready: boolean;
  /** Null: nothing could be done, and nothing was changed. */
  readonly own: AgentLease | null;
  readonly peers: readonly PeerStatus[];
  readonly problems: readonly string[];
  readonly conflicts: readonly string[];
  readonly guard: GuardState;
  readonly changes: number;
  readonly failedRows: number;
  readonly skippedLeases: number;
  readonly heldPeers: number;
}

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
  readonly links: readonly Link[];
  readonly wanted: NodeRows;
  readonly guarded: GuardedMap;
}

/** A sentence where nothing may be changed. @throws Error when the kernel could not be read: unknown is not empty. */
export async function decide(world: NodeWorld, { map, isNew, guard }: PassInput): Promise<Decision | string> {
  const { runner, options } = world;
  const own = ownLease(map, options.instanceId);
  if (own === null) return `instance ${options.instanceId} has no lease in the map (revision ${map.revision})`;
  const [links, routes] = await Promise.all([readLinks(runner), readRoutes(runner)]);
  const facts = tryFacts(world, own, links, routes);
  if (typeof facts === 'string') return facts;
  // An address that is being moved or renewed must not look like a node without peers.
  const lost = map.config.families.find(({ family }) => nodeAddressOf(own, family) && facts.addresses[family] === null);
  if (lost !== undefined) return `${facts.uplink} has no ${lost.family} address at present`;
  const guarded = holdPeers(guard, map, own, { isNew, now: world.now() });
  return { own, facts, links, guarded, wanted: rowsFor(map, guarded, own, facts) };
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

/** @throws Error when the kernel could not be read, or not be written as a whole. */
export async function runPass(world: NodeWorld, input: PassInput): Promise<PassResult> {
  const { runner, options, log } = world;
  const { map } = input;
  const decision = await decide(world, input);
  if (typeof decision === 'string') return nothing(input.guard, decision);
  const { own, facts, links, wanted, guarded } = decision;

  const devices = await ensureDevices(runner, wanted.devices, links, log.info);
  const settings = await ensureSettings({ ...world, log: log.info }, map.config, facts.uplink, wanted.devices);

  const present = ourDevices(devices.links);
  const tables = kernelTables(runner, present);
  const actual = await readTables(tables);
  const { rows, lacking } = rowsOnDevices(wanted, present);
  const applied = withLacking(await applyPlans(planTables(rows, actual), tables), lacking);
  for (const address of movedAddresses(input.guard.known, guarded.state.known)) {
    log.info(`${address} is another machine's now: what the kernel knew of it is flushed`);
    await runner.run(['ip', 'neigh', 'flush', 'to', address, 'dev', facts.uplink]);
  }
  const needed = new Set(wanted.devices.map(({ name }) => name));
  const retired = await retireDevices(runner, options.stateDir, devices.links, needed, world.now());

  const rules = options.masquerade ? masqueradeRules(map.config, own, facts, options.masqueradeExempt) : '';
  const masquerade = await ensureMasquerade(runner, options.stateDir, rules);

  const peers = peerStatuses(wanted, applied);
  const ownRows = ownRowProblems(wanted.routes, map.config, own, applied);
  const ready = devices.problems.length === 0 && ownRows.length === 0;
  if (ready && options.subnetEnv !== null) {
    const content = subnetEnv(map.config, own, wanted.mtu, options.masquerade);
    if (await writeSubnetEnv(options.stateDir, options.subnetEnv, content)) log.info(`${options.subnetEnv}: written`);
  }
  const held = guarded.held.length;
  return {
    ready,
    own,
    peers,
    problems: [
      ...wanted.problems,
      ...devices.problems,
      ...settings,
      ...applied.problems,
      ...(masquerade.problem === null ? [] : [masquerade.problem]),
      ...(held === 0 ? [] : [`${held} peers vanished from the map at once and are kept until it stays that way`]),
    ],
    conflicts: foreignRows(actual.routes, wanted.routes, ownSubnets(map.config, own), map.config),
    guard: guarded.state,
    changes: devices.changes + applied.changes + retired + (masquerade.changed ? 1 : 0),
    failedRows: applied.missingRoutes.size,
    skippedLeases: peers.filter(({ path }) => path === null).length,
    heldPeers: held,
  };
}

function tryFacts(
  { options }: NodeWorld,
  own: AgentLease,
  links: Parameters<typeof nodeFacts>[2],
  routes: readonly KernelRoute[],
) {
  try {
    return nodeFacts(options, { ipv4: own.nodeIp, ipv6: own.nodeIpv6 }, links, routes);
  } catch (error) {
    if (error instanceof NoUplink) return error.message;
    throw error;
  }
}

function nothing(guard: GuardState, problem: string): PassResult {
  return {
    ready: false,
    own: null,
    peers: [],
    problems: [problem],
    conflicts: [],
    guard,
    changes: 0,
    failedRows: 0,
    skippedLeases: 0,
    heldPeers: 0,
  };
}

/** Without its device a row is not tried: a foreign device of that name would get it. */
function rowsOnDevices(wanted: NodeRows, present: ReadonlySet<string>) {
  const absent = new Set(wanted.devices.map(({ name }) => name).filter((name) => !present.has(name)));
  const isHere = ({ dev }: { readonly dev: string | null }): boolean => dev === null || !absent.has(dev);
  return {
    rows: {
      fdb: wanted.fdb.filter(isHere),
      neighbours: wanted.neighbours.filter(isHere),
      routes: wanted.routes.filter(isHere),
    },
    lacking: wanted.routes.filter((route) => !isHere(route)),
  };
}

function withLacking(applied: ApplyResult, lacking: readonly KernelRoute[]): ApplyResult {
  const entries = lacking.map((route): [string, string] => [routeKind.key(route), `there is no ${route.dev} of ours`]);
  return { ...applied, missingRoutes: new Map([...applied.missingRoutes, ...entries]) };
}

/** Peers whose route could not be programmed have no path, whatever the map says. */
function peerStatuses(wanted: NodeRows, { missingRoutes }: ApplyResult): readonly PeerStatus[] {
  const problems = new Map(
    wanted.routes.flatMap((route) => {
      const problem = missingRoutes.get(routeKind.key(route));
      return problem === undefined ? [] : [[route.destination, problem]];
    }),
  );
  const peers = wanted.peers.map((peer): PeerStatus => {
    const problem = peer.path === 'vpc' ? undefined : problems.get(peer.subnet);
    if (problem === undefined) return peer;
    return { ...peer, path: null, why: `${peer.path ?? 'no path'} is wanted (${peer.why}), but ${problem}` };
  });
  const refused = wanted.refused.map(({ name, instanceId, problem }): PeerStatus => {
    return { subnet: name, instanceId, path: null, via: null, dev: null, why: `refused: ${problem}` };
  });
  return [...peers, ...refused];
}

function ownSubnets(config: NetworkConfig, own: AgentLease) {
  return config.families.flatMap(({ family }: { family: Family }) => subnetOf(own, family) ?? []);
}

/** The network's row and the own subnet's: without them this node is not in order, whatever its peers are. */
function ownRowProblems(
  routes: readonly KernelRoute[],
  config: NetworkConfig,
  own: AgentLease,
  { missingRoutes }: ApplyResult,
): readonly string[] {
  const mine = new Set([
    ...config.families.map(({ network }) => network.text),
    ...ownSubnets(config, own).map(({ text }) => text),
  ]);
  return routes.flatMap((route) =>
    mine.has(route.destination) ? (missingRoutes.get(routeKind.key(route)) ?? []) : [],
  );
}
