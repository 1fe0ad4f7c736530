/** Rows of VPC route tables, read from what `DescribeRouteTables` prints. */
import type { Cidr } from './cidr.ts';
import { tryParseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';

/**
 * - `eni`, `instance`: what a route of ours can point at.
 * - `none`: a blackhole of which EC2 gives no id; blackholes come in both shapes, with the dead ids and without.
 * - `other`: gateways, endpoints, peerings and whatever EC2 invents next.
 */
export type NextHop =
  | { readonly kind: 'eni'; readonly id: string; readonly instanceId: string | null }
  | { readonly kind: 'instance'; readonly id: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'other'; readonly id: string };

export interface Route {
  /** Null where the destination is a prefix list or nothing this program can read. */
  readonly destination: Cidr | null;
  /** The destination in canonical form, or as it was read where it has none. */
  readonly destinationText: string;
  readonly nextHop: NextHop;
  /** `active`, `blackhole`, `filtered` (route server), or what EC2 invents next. */
  readonly state: string;
  /** `CreateRoute`, `CreateRouteTable`, `EnableVgwRoutePropagation`, `Advertisement`. */
  readonly origin: string;
}

export interface RouteTable {
  readonly id: string;
  readonly vpcId: string;
  readonly routes: readonly Route[];
  /** Subnets that name this table themselves. */
  readonly subnetIds: readonly string[];
  /** Whether subnets without a table of their own use this one. */
  readonly isMain: boolean;
}

/** The one text for a next hop: its id as AWS prints it, `blackhole` where there is none. */
export function nextHopId(nextHop: NextHop): string {
  return nextHop.kind === 'none' ? 'blackhole' : nextHop.id;
}

export function isBlackhole(route: Route): boolean {
  return route.state === 'blackhole';
}

/** The VPC's own ranges: destinations of `local` routes, also where such a route was led to a firewall instead. */
export function vpcRanges(tables: readonly RouteTable[]): Cidr[] {
  const ranges = new Map<string, Cidr>();
  for (const route of tables.flatMap((table) => table.routes)) {
    if (route.destination !== null && isLocal(route)) ranges.set(route.destination.text, route.destination);
  }
  return [...ranges.values()];
}

function isLocal({ nextHop, origin }: Route): boolean {
  return origin === 'CreateRouteTable' || (nextHop.kind === 'other' && nextHop.id === 'local');
}

const destinationKeys = ['DestinationCidrBlock', 'DestinationIpv6CidrBlock', 'DestinationPrefixListId'] as const;
const plainKeys = new Set<string>([
  ...destinationKeys,
  'NetworkInterfaceId',
  'InstanceId',
  'InstanceOwnerId',
  'Origin',
  'State',
]);

/** Reads one route as EC2 prints it; `field` is its place, for errors. */
export function parseRoute(raw: unknown, field: string): Route {
  const record = recordOf(raw, field);
  const text = (key: string): string | null => textOf(record, key, field);
  const destinations = destinationKeys.map(text).filter((value) => value !== null);
  const [destinationText] = destinations;
  if (destinationText === undefined) {
    throw new InvalidInput(field, raw, `has none of ${destinationKeys.join(', ')}`);
  }
  // A row with two destinations is not understood, and so never ours: a delete would name one and mean another.
  const isPlain = destinations.length === 1 && text('DestinationPrefixListId') === null;
  const destination = isPlain ? tryParseCidr(destinationText) : null;
  return {
    destination,
    destinationText: destination?.text ?? destinationText,
    nextHop: parseNextHop(record, text),
    state: text('State') ?? 'active',
    // An origin that was left out is not known to be ours.
    origin: text('Origin') ?? 'unknown',
  };
}

/**
 * Anything beside an ENI or an instance, also a field that EC2 has not invented yet, makes a next hop foreign: a row is
 * ours only when every field of it is understood.
 */
function parseNextHop(record: Record<string, unknown>, text: (key: string) => string | null): NextHop {
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (plainKeys.has(key) || value === undefined || value === null || value === '') continue;
    return { kind: 'other', id: String(value) };
  }
  const eni = text('NetworkInterfaceId');
  const instance = text('InstanceId');
  if (eni !== null) return { kind: 'eni', id: eni, instanceId: instance };
  if (instance !== null) return { kind: 'instance', id: instance };
  return { kind: 'none' };
}

export function parseRouteTable(raw: unknown, field: string): RouteTable {
  const record = recordOf(raw, field);
  const id = textOf(record, 'RouteTableId', field);
  if (id === null) throw new InvalidInput(`${field}.RouteTableId`, record['RouteTableId'], 'is missing');
  const associations = listOf(record, 'Associations', field).map((entry, at) => {
    const association = recordOf(entry, `${field}.Associations[${at}]`);
    return {
      subnetId: textOf(association, 'SubnetId', `${field}.Associations[${at}]`),
      isMain: association['Main'] === true,
    };
  });
  return {
    id: id.toLowerCase(),
    vpcId: textOf(record, 'VpcId', field) ?? '',
    routes: listOf(record, 'Routes', field).map((route, at) => parseRoute(route, `${field}.Routes[${at}]`)),
    subnetIds: associations.flatMap(({ subnetId }) => (subnetId === null ? [] : [subnetId.toLowerCase()])),
    isMain: associations.some(({ isMain }) => isMain),
  };
}

function recordOf(raw: unknown, field: string): Record<string, unknown> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new InvalidInput(field, raw, 'is not an object');
  return raw as Record<string, unknown>;
}

function listOf(record: Record<string, unknown>, key: string, field: string): readonly unknown[] {
  const value = record[key] ?? [];
  if (!Array.isArray(value)) throw new InvalidInput(`${field}.${key}`, value, 'is not a list');
  return value;
}

function textOf(record: Record<string, unknown>, key: string, field: string): string | null {
  const value = record[key];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new InvalidInput(`${field}.${key}`, value, 'is not a string');
  return value;
}
