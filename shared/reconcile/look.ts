/** Reads everything that a plan stands on. Unknown is not empty: what cannot be read whole is a failure, not a picture. */
import { checkRouteTableCeiling, checkVpcOverlap } from '../domain/config-checks.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import type { NetworkMap } from '../domain/map.ts';
import { type NetworkConfig, parseNetworkConfig } from '../domain/network-config.ts';
import { plannedTableIds } from '../domain/network-plan.ts';
import { type RouteTable, vpcRanges } from '../domain/route.ts';
import { type Clock, type Leases, type LeasesRead, Refusal, type RouteTables } from './ports.ts';

export interface Picture {
  /** Epoch milliseconds at which the leases began to be read. */
  readonly readAt: number;
  readonly leases: LeasesRead;
  readonly config: NetworkConfig;
  /** net-conf.json, parsed. */
  readonly rawConfig: unknown;
  /** Every table of the VPC; none for a backend without route tables. */
  readonly tables: readonly RouteTable[];
  /** Epoch milliseconds at which the tables began to be read. */
  readonly tablesReadAt: number;
  readonly vpcId: string | null;
}

/** Why there is no picture. */
export interface Blind {
  readonly status: 'failed' | 'unconfigured';
  readonly message: string;
}

export interface LookDeps {
  readonly leases: Leases;
  readonly tables: RouteTables;
  readonly clock: Clock;
  /** Tables that the deployment allows to be written. */
  readonly ceiling: readonly string[];
}

/** `known`: what the last pass knew; it makes the one read enough and an emptied table visible. */
export async function look(
  deps: LookDeps,
  known: { readonly vpcId: string | null; readonly counter: number },
): Promise<Picture | Blind> {
  const readAt = deps.clock.now();
  try {
    const leases = await deps.leases.readAll();
    if (leases.config === null) return unconfigured(leases, known.counter);
    const config = parseNetworkConfig(leases.config.text, { field: 'config' });
    checkRouteTableCeiling(config, deps.ceiling);
    const base = { readAt, leases, config, rawConfig: JSON.parse(leases.config.text) as unknown };
    const ids = plannedTableIds(config);
    if (ids.length === 0) return { ...base, tables: [], tablesReadAt: readAt, vpcId: null };
    const tablesReadAt = deps.clock.now();
    const { vpcId, tables } = await readTables(deps, ids, known.vpcId);
    checkVpcOverlap(config, vpcRanges(tables));
    return { ...base, tables, tablesReadAt, vpcId };
  } catch (error) {
    if (error instanceof InvalidInput) return { status: 'failed', message: error.message };
    if (error instanceof Refusal) {
      return { status: 'failed', message: `${error.action}: ${error.code}: ${error.message}` };
    }
    throw error;
  }
}

function unconfigured(leases: LeasesRead, counter: number): Blind {
  // The keeper writes the counter with the first lease and nobody ever removes it or the configuration.
  if (leases.counter < counter || leases.leases.length > 0) {
    const message = 'the leases table has no configuration, though it had one: it was emptied or read wrongly';
    return { status: 'failed', message };
  }
  return {
    status: 'unconfigured',
    message: 'no network configuration was applied yet: run leaseway network apply FILE',
  };
}

/** A fresh table "does not exist" for a moment, so that a missing one is asked for again. */
const missingReads = 3;
const missingDelayMs = 1000;

async function readTables(
  deps: LookDeps,
  ids: readonly string[],
  knownVpcId: string | null,
): Promise<{ vpcId: string; tables: readonly RouteTable[] }> {
  const vpcId = knownVpcId ?? (await findVpc(deps, ids));
  const tables = await readOneVpc(deps, vpcId);
  let missing = ids.filter((id) => !tables.some((table) => table.id === id));
  if (missing.length === 0) return { vpcId, tables };
  const found: RouteTable[] = [];
  for (let read = 1; missing.length > 0 && read < missingReads; read += 1) {
    if (read > 1) await deps.clock.sleep(missingDelayMs);
    found.push(...(await deps.tables.readSome(missing)));
    missing = missing.filter((id) => !found.some((table) => table.id === id));
  }
  const elsewhere = found.find((table) => table.vpcId !== vpcId);
  if (elsewhere !== undefined) {
    // The known VPC can be one that was listed before; then none of the listed tables is in it.
    if (knownVpcId !== null && !ids.some((id) => tables.some((table) => table.id === id)))
      return readTables(deps, ids, null);
    throw new InvalidInput(
      'config.Backend.RouteTableID',
      elsewhere.id,
      `is in ${elsewhere.vpcId}, other listed tables are in ${vpcId}: one network has one VPC`,
    );
  }
  const all = [...tables, ...found];
  if (!ids.some((id) => all.some((table) => table.id === id))) throw noneListed(ids);
  return { vpcId, tables: all };
}

async function findVpc(deps: LookDeps, ids: readonly string[]): Promise<string> {
  const [table] = await deps.tables.readSome(ids);
  if (table === undefined) throw noneListed(ids);
  return table.vpcId;
}

async function readOneVpc(deps: LookDeps, vpcId: string): Promise<readonly RouteTable[]> {
  const tables = await deps.tables.readVpc(vpcId);
  // Every VPC has at least its main table.
  if (tables.length === 0) throw new Refusal('transient', 'DescribeRouteTables', 'EmptyAnswer', `no table in ${vpcId}`);
  return tables;
}

function noneListed(ids: readonly string[]): InvalidInput {
  return new InvalidInput(
    'config.Backend.RouteTableID',
    ids,
    'EC2 lists none of these tables in this account and region',
  );
}

/**
 * Whether the leases are older than what was last seen: emptied, half restored or read wrongly. Then every weak deletion
 * is held, also those few that the guard lets pass in a small cluster.
 *
 * The counter never goes back. And a lease leaves a tombstone, so that several of the last map's which are gone without
 * one are a hole; a single one can be an operator's hand.
 */
export function isOlder(picture: Picture, known: { readonly counter: number }, map: NetworkMap | null): boolean {
  if (picture.leases.counter < known.counter) return true;
  const subnets = new Set(picture.leases.leases.map((lease) => lease.subnet.text));
  const unknown = unknownSubnets(picture);
  const shown = map?.leases ?? [];
  const vanished = shown.filter(({ subnet }) => !subnets.has(subnet) && !unknown.has(subnet)).length;
  return vanished > 1 && vanished * 3 > shown.length;
}

/** Subnets whose lease item does not validate. */
export function unknownSubnets(picture: Picture): Set<string> {
  return new Set(picture.leases.unreadable.map(({ sortKey }) => sortKey.replace(/^lease#/, '')));
}
