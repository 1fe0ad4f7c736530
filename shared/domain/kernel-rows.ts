/**
 * The rows of a node's three tables, and what is ours among them: routes of protocol 76 in table main, and anything on
 * our own devices (FDB entries carry no mark of their own).
 */
import { type Cidr, compareCidrs, type Family, tryParseCidr } from './cidr.ts';
import type { RowKind } from './plan.ts';

/** Ours among the numbers that nobody registered in iproute2's `rt_protos`. */
export const ourProtocol = 76;
/** Worse than connected (0; IPv6 256) and default (IPv6 1024) metrics: a foreign row of the same prefix wins. */
export const ourMetric = 2076;
/** Of the own subnet's `unreachable` row: worse than anything that leads to the pods. */
export const lastResortMetric = 4_278_198_272;

export interface KernelRoute {
  readonly family: Family;
  readonly type: 'unicast' | 'unreachable' | 'other';
  /** Canonical CIDR text. */
  readonly destination: string;
  readonly via: string | null;
  /** Null for a type that leads nowhere. */
  readonly dev: string | null;
  readonly src: string | null;
  readonly metric: number;
  readonly tos: number;
  readonly protocol: number;
  readonly onlink: boolean;
  /** Several next hops, an encapsulation, metrics: nothing we would write. */
  readonly special: boolean;
}

/** Tunnel IP -> inner MAC. */
export interface Neighbour {
  readonly dev: string;
  readonly address: string;
  /** Null: not resolved. */
  readonly mac: string | null;
  readonly permanent: boolean;
}

/** Inner MAC -> outer IP. */
export interface FdbEntry {
  readonly dev: string;
  readonly mac: string;
  /** Null: no remote. */
  readonly dst: string | null;
  /** Another port, VNI or link than the device's own. */
  readonly special: boolean;
}

/** `lw-<VNI>` over IPv4, `lw6-<VNI>` over IPv6. */
export function deviceName(vni: number, family: Family): string {
  return `${family === 'ipv4' ? 'lw' : 'lw6'}-${vni}`;
}

export function isOurDeviceName(name: string): boolean {
  return /^lw6?-[1-9][0-9]{0,7}$/.test(name);
}

/** The family whose packets a device of ours carries. */
export function deviceFamily(name: string): Family {
  return name.startsWith('lw6-') ? 'ipv6' : 'ipv4';
}

const always = { reason: 'orphan', evidence: 'strong' } as const;

/** RTPROT_KERNEL: what an address or a link brings along, on our devices too. */
const kernelProtocol = 2;

/**
 * The kernel looks up a route to change by prefix, TOS and metric, never by its protocol.
 *
 * @param devices Names of our own devices: whatever leads there is ours, except what the kernel made itself.
 */
export function routeKindOn(devices: ReadonlySet<string>): RowKind<KernelRoute> {
  return {
    key: (row) => `${row.destination} tos ${row.tos} metric ${row.metric}`,
    same: (a, b) =>
      !a.special &&
      a.type === b.type &&
      a.via === b.via &&
      a.dev === b.dev &&
      a.src === b.src &&
      a.protocol === b.protocol &&
      // The kernel refuses `onlink` on our IPv6 rows, so none is asked for.
      a.onlink === b.onlink,
    isOurs: (row) =>
      row.protocol === ourProtocol || (row.dev !== null && devices.has(row.dev) && row.protocol !== kernelProtocol),
    describe: describeRoute,
    compare: compareDestinations,
    whyReplace: () => 'changed',
    whyDelete: () => always,
  };
}

export const routeKind: RowKind<KernelRoute> = routeKindOn(new Set());

/** Rows of our own devices only: the reader leaves out all others. */
export const neighbourKind: RowKind<Neighbour> = {
  key: (row) => `${row.dev} ${row.address}`,
  same: (a, b) => a.permanent && a.mac === b.mac,
  isOurs: () => true,
  describe: (row) => `${row.address} lladdr ${row.mac ?? 'unresolved'} dev ${row.dev}`,
  compare: (a, b) => compareTexts(a.dev, b.dev) || compareTexts(a.address, b.address),
  whyReplace: () => 'changed',
  whyDelete: () => always,
};

/** Rows of our own devices only. Group and zero MACs may have several remotes, so the remote is part of their key. */
export const fdbKind: RowKind<FdbEntry> = {
  key: (row) => (isStation(row.mac) ? `${row.dev} ${row.mac}` : `${row.dev} ${row.mac} ${row.dst}`),
  same: (a, b) => !a.special && a.dst === b.dst,
  isOurs: () => true,
  describe: (row) => `${row.mac} dev ${row.dev} dst ${row.dst ?? 'none'}`,
  compare: (a, b) => compareTexts(a.dev, b.dev) || compareTexts(a.mac, b.mac) || compareTexts(a.dst ?? '', b.dst ?? ''),
  whyReplace: () => 'changed',
  whyDelete: () => always,
};

export function describeRoute(row: KernelRoute): string {
  const parts = [
    row.type === 'unicast' ? row.destination : `${row.type} ${row.destination}`,
    ...(row.via === null ? [] : [`via ${row.via}`]),
    ...(row.dev === null ? [] : [`dev ${row.dev}`]),
    ...(row.src === null ? [] : [`src ${row.src}`]),
    `proto ${row.protocol} metric ${row.metric}`,
  ];
  return parts.join(' ');
}

function isStation(mac: string): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0 && !/^[0:]+$/.test(mac);
}

/** A sort of 4,000 rows compares 50,000 times; a row's block is parsed once. */
const blocks = new WeakMap<KernelRoute, Cidr | null>();

function blockOf(row: KernelRoute): Cidr | null {
  const known = blocks.get(row);
  if (known !== undefined) return known;
  const block = tryParseCidr(row.destination);
  blocks.set(row, block);
  return block;
}

function compareDestinations(a: KernelRoute, b: KernelRoute): number {
  const [first, second] = [blockOf(a), blockOf(b)];
  if (first === null || second === null) return compareTexts(a.destination, b.destination);
  return compareCidrs(first, second) || a.metric - b.metric || a.tos - b.tos;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
