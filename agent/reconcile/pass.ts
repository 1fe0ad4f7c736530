/** One pass: read everything, decide, change what differs, say what is. The whole state of the node, each time anew. */
import type { Family } from '../../shared/domain/cidr.ts';
import { deviceFamily, type KernelRoute, routeKind } from '../../shared/domain/kernel-rows.ts';
import { movedAddresses } from '../../shared/domain/moved-addresses.ts';
import type { GuardState } from '../../shared/domain/node-guard.ts';
import type { NodeRows } from '../../shared/domain/node-rows.ts';
import type { AgentLease } from '../../shared/domain/read-map.ts';
import { subnetEnv } from '../../shared/domain/subnet-env.ts';
import { ensureDevices, ourDevices } from '../linux/devices.ts';
import { forwardPolicyProblems } from '../linux/forward-policy.ts';
import { kernelTables } from '../linux/kernel-tables.ts';
import { retireDevices } from '../linux/lingering.ts';
import { ensureMasquerade } from '../linux/masquerade.ts';
import { masqueradeRules } from '../linux/masquerade-rules.ts';
import { neighbourLimitProblems } from '../linux/neighbour-limit.ts';
import { policyRuleProblems } from '../linux/policy-rules.ts';
import { ensureSettings } from '../linux/settings.ts';
import { writeSubnetEnv } from '../linux/subnet-env-file.ts';
import { type ApplyResult, applyPlans, planTables, readTables } from './apply-rows.ts';
import { decide, type PassInput } from './decide.ts';
import { foreignRows } from './foreign-rows.ts';
import type { NodeWorld } from './node-world.ts';
import { ownRowProblems, ownSubnets, peerStatuses } from './pass-status.ts';
import type { PeerStatus } from './status.ts';

export interface PassResult {
  /** Own lease known and programmed, own devices up, every healthy row read back. */
  readonly ready: boolean;
  /** Null: nothing could be done, and nothing was changed. */
  readonly own: AgentLease | null;
  readonly peers: readonly PeerStatus[];
  readonly problems: readonly string[];
  readonly conflicts: readonly string[];
  /** Families that the uplink has no address of at present. */
  readonly untouched: readonly Family[];
  readonly guard: GuardState;
  readonly changes: number;
  /** A device could not be made or repaired: trying it is itself a change that the kernel announces. */
  readonly deviceTrouble: boolean;
  readonly failedRows: number;
  readonly skippedLeases: number;
  readonly heldPeers: number;
}

/** @throws Error when the kernel could not be read, or not be written as a whole. */
export async function runPass(world: NodeWorld, input: PassInput): Promise<PassResult> {
  const { runner, options, log } = world;
  const { map } = input;
  const decision = await decide(world, input);
  if (typeof decision === 'string') return nothing(input.guard, decision);
  const { own, facts, links, routes, wanted, guarded } = decision;

  const devices = await ensureDevices(runner, wanted.devices, links, log.info);
  const settings = await ensureSettings({ ...world, log: log.info }, map.config, facts.uplink, wanted.devices, routes);
  const warnings = [
    ...settings,
    ...(await forwardPolicyProblems(runner)),
    ...(await neighbourLimitProblems(world.sysctls, wanted.peers)),
  ];

  const present = ourDevices(devices.links);
  const tables = kernelTables(runner, present);
  const actual = await readTables(tables, devices.changes === 0 ? routes : null);
  const { rows, lacking } = rowsOnDevices(wanted, present);
  const applied = withLacking(await applyPlans(planTables(rows, actual, tables), tables), lacking);
  for (const address of movedAddresses(input.guard.holders, guarded.state.known)) {
    log.info(`${address} is another machine's now: what the kernel knew of it is flushed`);
    await runner.run(['ip', 'neigh', 'flush', 'to', address, 'dev', facts.uplink]);
  }
  const left = [...present].filter((name) => wanted.untouched.includes(deviceFamily(name)));
  const needed = new Set([...wanted.devices.map(({ name }) => name), ...left]);
  const retired = await retireDevices(runner, options.stateDir, devices.links, needed, world.now());

  const snat = options.masquerade ? masqueradeRules(map.config, own, facts, options.masqueradeExempt) : '';
  const masquerade = await ensureMasquerade(runner, options.stateDir, snat);

  const peers = peerStatuses(wanted, applied);
  const ownRows = ownRowProblems(wanted.routes, map.config, own, applied);
  const networks = map.config.families.map(({ network }) => network);
  const sources = { facts, links: devices.links, own: ownSubnets(map.config, own) };
  const rules = await policyRuleProblems(runner, networks, peers, sources);
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
      ...warnings,
      ...applied.problems,
      ...rules,
      ...(masquerade.problem === null ? [] : [masquerade.problem]),
      ...(held === 0 ? [] : [`${held} peers vanished from the map at once and are kept until it stays that way`]),
    ],
    conflicts: foreignRows(actual.routes, wanted.routes, ownSubnets(map.config, own), map.config),
    untouched: wanted.untouched,
    guard: guarded.state,
    changes: devices.changes + applied.changes + retired + (masquerade.changed ? 1 : 0),
    deviceTrouble: devices.problems.length > 0,
    failedRows: applied.missingRoutes.size,
    skippedLeases: peers.filter(({ path }) => path === null).length,
    heldPeers: held,
  };
}

function nothing(guard: GuardState, problem: string): PassResult {
  return {
    ready: false,
    own: null,
    peers: [],
    problems: [problem],
    conflicts: [],
    untouched: [],
    guard,
    changes: 0,
    deviceTrouble: false,
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
      untouched: wanted.untouched,
    },
    lacking: wanted.routes.filter((route) => !isHere(route)),
  };
}

function withLacking(applied: ApplyResult, lacking: readonly KernelRoute[]): ApplyResult {
  const entries = lacking.map((route): [string, string] => [routeKind.key(route), `there is no ${route.dev} of ours`]);
  return { ...applied, missingRoutes: new Map([...applied.missingRoutes, ...entries]) };
}
