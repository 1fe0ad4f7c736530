/** `network-show`, `network-apply` and `network-retire`: the configuration of the network. */
import type { Cidr } from '../domain/cidr.ts';
import type { CommandOf } from '../domain/command.ts';
import { forgottenTables, orphanedBy } from '../domain/config-change.ts';
import { checkRouteTableCeiling, checkVpcOverlap } from '../domain/config-checks.ts';
import { sizeOf } from '../domain/free-index.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { isHeld } from '../domain/lease.ts';
import type { StoredConfig } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { parseNetworkConfig } from '../domain/parse-network-config.ts';
import { withoutRetired, withRetired } from '../domain/retire.ts';
import { poolSpan } from '../domain/subnet-pool.ts';
import { type CommandPorts, type Decided, decideAndCommit, readVpc } from './command-ports.ts';
import { readStoredConfig, type WorkingBook } from './working-book.ts';

export async function showNetwork(ports: CommandPorts) {
  const { config: stored, leases } = await ports.book.readAll();
  const { config, configProblem } = readStoredConfig(stored?.text ?? null);
  return {
    network: ports.network,
    routeTableIds: ports.routeTableIds,
    stored: stored === null ? null : shown(stored),
    problem: config === null ? configProblem : null,
    subnets:
      config === null
        ? null
        : { room: Number(sizeOf([poolSpan(config)])), held: leases.filter(({ state }) => isHeld(state)).length },
  };
}

type Change = Pick<CommandOf<'network-apply'>, 'dryRun' | 'expectedRevision' | 'force'>;

/**
 * Checks the configuration by itself, against the template's tables, against the VPC, and against the leases. A change
 * that leaves held leases without a place is refused, unless the old range is in `Retired` or `force` says so; their
 * nodes then get a new subnet with their next claim and are told that they lost the old one.
 *
 * The write is conditional on the revision that was read and on no lease having moved since, so that no grant slips in
 * between the check and the change.
 */
export async function applyNetwork(ports: CommandPorts, command: CommandOf<'network-apply'>) {
  const { config } = command;
  return change(ports, command, () => (typeof config === 'string' ? config : JSON.stringify(config, null, 2)));
}

/** Adds to `Leaseway.Retired` (or, with `remove`, takes out) a range, tables, or a range in some tables. */
export async function retireRange(ports: CommandPorts, command: CommandOf<'network-retire'>) {
  const { network = null, subnetLen = null, routeTableIds, remove } = command;
  if (network === null && routeTableIds.length === 0) {
    throw new InvalidInput('network', undefined, 'or routeTableIds is needed: what is to be given up?');
  }
  if ((network === null) !== (subnetLen === null)) {
    throw new InvalidInput('subnetLen', subnetLen ?? undefined, 'belongs to a network, and a network needs it');
  }
  const entry = { network: network as Cidr | null, subnetLen, routeTableIds };
  return change(ports, command, (stored) => {
    if (stored === null) throw new InvalidInput('', undefined, 'no network configuration was applied yet');
    const before: unknown = JSON.parse(stored.text);
    const after = remove ? withoutRetired(before, entry) : withRetired(before, entry);
    if (after === null) throw new InvalidInput('', undefined, 'Retired has no such entry');
    return JSON.stringify(after, null, 2);
  });
}

async function change(
  ports: CommandPorts,
  { dryRun, expectedRevision, force }: Change,
  textOf: (stored: StoredConfig | null) => string,
) {
  return decideAndCommit(ports, async (book, counter): Promise<Decided<ReturnType<typeof changed>>> => {
    const { stored, configRevision: revision } = book;
    if (expectedRevision !== undefined && expectedRevision !== revision) {
      throw new InvalidInput('expectedRevision', expectedRevision, `is not the stored revision, which is ${revision}`);
    }
    const text = textOf(stored);
    const config = parseNetworkConfig(text);
    checkRouteTableCeiling(config, ports.routeTableIds);
    checkVpcOverlap(config, (await readVpc(ports, config)).vpcCidrs);
    const orphans = orphanedBy(config, [...book.leases.values()]).map(({ subnet }) => subnet.text);
    if (orphans.length > 0 && !force) throw orphaned(orphans);

    // A damaged item is written anew even if its text is the same.
    const isSame = stored !== null && stored.revision > 0 && sameJson(stored.text, text);
    const now = Math.floor(ports.clock.now() / 1000);
    const next = isSame ? stored : { text, revision: revision + 1, appliedAt: now };
    return {
      result: changed(stored, next, { isSame, dryRun, orphans, warnings: warningsOf(book, config) }),
      transaction: isSame || dryRun ? null : { config: { item: next, expected: stored?.revision ?? null }, counter },
    };
  });
}

function changed(
  before: StoredConfig | null,
  after: StoredConfig,
  about: { isSame: boolean; dryRun: boolean; orphans: readonly string[]; warnings: readonly string[] },
) {
  return {
    applied: !about.dryRun && !about.isSame,
    changed: !about.isSame,
    previous: before === null ? null : shown(before),
    stored: shown(after),
    /** Held leases whose nodes get another subnet. */
    moved: about.orphans,
    warnings: about.warnings,
  };
}

function shown({ text, revision, appliedAt }: StoredConfig) {
  return { config: parsedOrText(text), text, revision, appliedAt };
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sameJson(a: string, b: string): boolean {
  return JSON.stringify(parsedOrText(a)) === JSON.stringify(parsedOrText(b));
}

function orphaned(subnets: readonly string[]): InvalidInput {
  const some = subnets.slice(0, 5).join(', ') + (subnets.length > 5 ? ', ...' : '');
  return new InvalidInput(
    'config',
    undefined,
    `has no place for ${subnets.length} held leases (${some}): list the old range in Leaseway.Retired, or apply it with --force`,
  );
}

function warningsOf(book: WorkingBook, after: NetworkConfig): string[] {
  if (book.config === null) return [];
  const warnings = forgottenTables(book.config, after).map(
    (id) => `${id} is no longer listed: its routes stay as they are unless it is in Leaseway.Retired`,
  );
  for (const { network, subnetLen } of book.config.families) {
    const isIn = (range: { readonly network: Cidr | null; readonly subnetLen: number | null }) =>
      range.network?.text === network.text && range.subnetLen === subnetLen;
    if (after.families.some(isIn) || after.retired.some(isIn)) continue;
    warnings.push(`/${subnetLen} routes of ${network.text} stay as they are unless it is in Leaseway.Retired`);
  }
  return warnings;
}
