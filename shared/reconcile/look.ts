/** Reads everything that a plan stands on. Unknown is not empty: what cannot be read whole is a failure, not a picture. */
import { checkRouteTableCeiling, checkVpcOverlap } from '../domain/config-checks.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import type { NetworkMap } from '../domain/map.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { plannedTableIds } from '../domain/network-plan.ts';
import { parseNetworkConfig } from '../domain/parse-network-config.ts';
import { type RouteTable, vpcRanges } from '../domain/route.ts';
import { type Clock, type Leases, type LeasesRead, type MapStore, Refusal, type RouteTables } from './ports.ts';

export interface Picture {
  /** Epoch milliseconds at which the leases began to be read. */
  readonly readAt: number;
  readonly leases: LeasesRead;
  readonly config: NetworkConfig;
  /** net-conf.json, parsed. */
  readonly rawConfig: unknown;
  /** Every table of the VPC; none for a backend without route tables. */
  readonly tables: readonly RouteTable[];
  /** False on the very first look, which knows no VPC yet and sees the listed tables alone. */
  readonly isWholeVpc: boolean;
  /** Epoch milliseconds at which the tables began to be read. */
  readonly tablesReadAt: number;
  readonly vpcId: string | null;
  /** The map that is out. */
  readonly out: NetworkMap | null | 'damaged';
}

/** Why there is no picture. */
export interface Blind {
  readonly status: 'failed' | 'unconfigured';
  readonly message: string;
}

export interface LookDeps {
  readonly maps: MapStore;
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
    const base = {
      readAt,
      leases,
      config,
      rawConfig: JSON.parse(leases.config.text) as unknown,
      out: await deps.maps.read(),
    };
    const ids = plannedTableIds(config);
    if (ids.length === 0) return { ...base, tables: [], isWholeVpc: true, tablesReadAt: readAt, vpcId: null };
    const tablesReadAt = deps.clock.now();
    const { vpcId, tables } = await readTables(deps, ids, known.vpcId);
    checkVpcOverlap(config, vpcRanges(tables));
    return { ...base, tables, isWholeVpc: known.vpcId === vpcId, tablesReadAt, vpcId };
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
  const whole = knownVpcId === null ? [] : await deps.tables.readVpc(knownVpcId);
  const tables = [...(knownVpcId === null ? await deps.tables.readSome(ids) : whole)];
  const isMissing = (id: string) => !tables.some((table) => table.id === id);
  for (let read = 1; ids.some(isMissing) && read < missingReads; read += 1) {
    if (read > 1) await deps.clock.sleep(missingDelayMs);
    tables.push(...(await deps.tables.readSome(ids.filter(isMissing))));
  }
  const listed = tables.filter((table) => ids.includes(table.id));
  const [first] = listed;
  if (first === undefined) throw noneListed(ids);
  const elsewhere = listed.find((table) => table.vpcId !== first.vpcId);
  if (elsewhere !== undefined) {
    throw new InvalidInput(
      'config.Backend.RouteTableID',
      elsewhere.id,
      `is in ${elsewhere.vpcId}, other listed tables are in ${first.vpcId}: one network has one VPC`,
    );
  }
  // A VPC has at least its main table: an empty answer of one that is still there was no answer.
  if (whole.length === 0 && first.vpcId === knownVpcId) {
    throw new Refusal('transient', 'DescribeRouteTables', 'EmptyAnswer', `no table in ${knownVpcId}, then some`);
  }
  return { vpcId: first.vpcId, tables: tables.filter((table) => table.vpcId === first.vpcId) };
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
export function isOlder(picture: Picture, known: { readonly counter: number }): boolean {
  if (picture.leases.counter < known.counter) return true;
  const subnets = new Set(picture.leases.leases.map((lease) => lease.subnet.text));
  const unknown = unknownSubnets(picture);
  const shown = picture.out === null || picture.out === 'damaged' ? [] : picture.out.leases;
  const vanished = shown.filter(({ subnet }) => !subnets.has(subnet) && !unknown.has(subnet)).length;
  return vanished > 1 && vanished * 3 > shown.length;
}

/** Subnets whose lease item does not validate. */
export function unknownSubnets(picture: Picture): Set<string> {
  return new Set(picture.leases.unreadable.map(({ sortKey }) => sortKey.replace(/^lease#/, '')));
}
