/**
 * The map as an agent reads it: from the map table or from a file that a person wrote.
 *
 * An agent outlives the map's writer in both directions, so unknown keys are ignored and what a lease lacks has a
 * default. One lease that does not validate is refused by itself and by name; only a map that is none at all is an error.
 */
import { type Cidr, parseCidr, tryParseAddress, tryParseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import type { LeaseState } from './lease.ts';
import { parseMac } from './mac-address.ts';
import { type MapTable, mapSchema } from './map.ts';
import type { NetworkConfig } from './network-config.ts';
import { parseNetworkConfig } from './parse-network-config.ts';

/** A lease whose members are well formed. What it asks for may still be hostile: see `refuse-leases.ts`. */
export interface AgentLease {
  /** The subnet in canonical text: what the lease is called. */
  readonly name: string;
  readonly subnet: Cidr;
  readonly ipv6Subnet: Cidr | null;
  readonly instanceId: string | null;
  readonly eniId: string | null;
  /** Canonical texts. */
  readonly nodeIp: string | null;
  readonly nodeIpv6: string | null;
  readonly subnetId: string | null;
  /** Absent: derived from the node's address. Null: known to have no neighbours. */
  readonly segment: string | null | undefined;
  /** Lower case. */
  readonly vtepMac: string | null;
  readonly state: LeaseState;
  readonly routedIn: readonly string[];
  readonly ipv6RoutedIn: readonly string[];
}

/** A lease that is left out, and why. */
export interface RefusedLease {
  /** Its subnet as far as there is one, else its place in the map (`leases[3]`). */
  readonly name: string;
  readonly instanceId: string | null;
  readonly problem: string;
}

export interface AgentMap {
  readonly epoch: number;
  readonly revision: number;
  readonly network: string;
  readonly config: NetworkConfig;
  readonly tables: readonly MapTable[];
  /** In the order of the map. */
  readonly leases: readonly AgentLease[];
  readonly refused: readonly RefusedLease[];
}

type Members = Readonly<Record<string, unknown>>;

const states: readonly LeaseState[] = ['active', 'leaving', 'withdrawn', 'stale', 'released', 'expired', 'reserved'];

/** @throws InvalidInput when it is no map of a schema that is known here: the reader keeps the one it has. */
export function readMap(value: unknown): AgentMap {
  const map = membersOf(value, 'map');
  if (map['schema'] !== mapSchema) {
    throw new InvalidInput('map.schema', map['schema'], `is not ${mapSchema}, the only one known here`);
  }
  const { leases } = map;
  if (!Array.isArray(leases)) throw new InvalidInput('map.leases', undefined, 'is not a list');
  const read = leases.map((lease: unknown, index) => tryReadLease(lease, `leases[${index}]`));
  return {
    epoch: isAbsent(map['epoch']) ? 0 : wholeNumber(map['epoch'], 'map.epoch'),
    revision: wholeNumber(map['revision'], 'map.revision'),
    network: text(map['network'], 'map.network'),
    config: parseNetworkConfig(map['config'], { lenient: true, field: 'map.config' }),
    tables: readTables(map['tables']),
    leases: read.flatMap((result) => ('problem' in result ? [] : [result])),
    refused: read.flatMap((result) => ('problem' in result ? [result] : [])),
  };
}

function readTables(value: unknown): readonly MapTable[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new InvalidInput('map.tables', undefined, 'is not a list');
  return value.map((table: unknown, index) => {
    const field = `map.tables[${index}]`;
    const members = membersOf(table, field);
    return {
      id: text(members['id'], `${field}.id`),
      subnets: texts(members['subnets'], `${field}.subnets`),
      filling: members['filling'] === true,
    };
  });
}

function tryReadLease(value: unknown, place: string): AgentLease | RefusedLease {
  try {
    return readLease(membersOf(value, place));
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const members: Members = typeof value === 'object' && value !== null ? (value as Members) : {};
    const { subnet, instanceId } = members;
    return {
      name: tryParseCidr(subnet)?.text ?? (typeof subnet === 'string' && subnet !== '' ? shorten(subnet) : place),
      instanceId: typeof instanceId === 'string' ? shorten(instanceId) : null,
      problem: error.message,
    };
  }
}

function readLease(lease: Members): AgentLease {
  const subnet = parseCidr(lease['subnet'], 'subnet');
  const state = lease['state'] ?? 'active';
  const known = states.find((candidate) => candidate === state);
  if (known === undefined) throw new InvalidInput('state', state, `is none of ${states.join(', ')}`);
  const ipv6Subnet = lease['ipv6Subnet'] ?? null;
  if (known !== 'reserved' && isAbsent(lease['instanceId'])) {
    throw new InvalidInput('instanceId', undefined, 'is missing');
  }
  return {
    name: subnet.text,
    subnet,
    ipv6Subnet: ipv6Subnet === null ? null : parseCidr(ipv6Subnet, 'ipv6Subnet', 'ipv6'),
    instanceId: optionalText(lease['instanceId'], 'instanceId'),
    eniId: optionalText(lease['eniId'], 'eniId'),
    nodeIp: nodeAddress(lease['nodeIp'], 'nodeIp', 'ipv4'),
    nodeIpv6: nodeAddress(lease['nodeIpv6'], 'nodeIpv6', 'ipv6'),
    subnetId: optionalText(lease['subnetId'], 'subnetId'),
    segment: lease['segment'] === undefined ? undefined : optionalText(lease['segment'], 'segment'),
    vtepMac: isAbsent(lease['vtepMac']) ? null : parseMac(lease['vtepMac'], 'vtepMac'),
    state: known,
    routedIn: texts(lease['routedIn'], 'routedIn'),
    ipv6RoutedIn: texts(lease['ipv6RoutedIn'], 'ipv6RoutedIn'),
  };
}

/** The address of another host: no group's, nobody's and not this host's own. */
function nodeAddress(value: unknown, field: string, family: 'ipv4' | 'ipv6'): string | null {
  if (isAbsent(value)) return null;
  const address = tryParseAddress(value);
  if (address === null || address.family !== family) {
    throw new InvalidInput(field, value, `is not an ${family === 'ipv4' ? 'IPv4' : 'IPv6'} address`);
  }
  const isHost =
    family === 'ipv4'
      ? ![0n, 127n].includes(address.value >> 24n) && address.value >> 28n < 0xen
      : address.value > 1n && address.value >> 118n !== 0x3fan && address.value >> 120n !== 0xffn;
  if (!isHost) throw new InvalidInput(field, value, 'is not the address of a host');
  return address.text;
}

function membersOf(value: unknown, field: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new InvalidInput(field, value, 'is not an object');
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function wholeNumber(value: unknown, field: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new InvalidInput(field, value, value === undefined ? 'is missing' : 'is not a whole number');
}

function text(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidInput(field, value, value === undefined ? 'is missing' : 'is not text');
}

function optionalText(value: unknown, field: string): string | null {
  return isAbsent(value) ? null : text(value, field);
}

function texts(value: unknown, field: string): readonly string[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw new InvalidInput(field, value, 'is not a list');
  return value.map((member: unknown, index) => text(member, `${field}[${index}]`));
}

/** A name is for one line of a log. */
function shorten(name: string): string {
  const printable = name.replaceAll(/[^\x20-\x7e]/g, '?');
  return printable.length > 64 ? `${printable.slice(0, 61)}...` : printable;
}
