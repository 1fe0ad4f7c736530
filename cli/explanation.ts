/** Where packets to one address go, and why. */
import { type Cidr, contains, parseCidr, tryParseAddress, tryParseCidr } from '../shared/domain/cidr.ts';
import { InvalidInput } from '../shared/domain/invalid-input.ts';
import type { Lease } from '../shared/domain/lease.ts';
import type { MatchingRow } from '../shared/domain/matching-row.ts';
import { type Cell, cellOf, type Picture } from './picture.ts';
import { rowCell } from './row-cell.ts';

export interface Explanation {
  readonly address: string;
  /** What holds the address, as a sentence. */
  readonly summary: string;
  readonly lease: string | null;
  readonly node: {
    readonly instanceId: string | null;
    readonly eniId: string;
    readonly nodeIp: string | null;
    readonly state: string;
  } | null;
  readonly status: string | null;
  readonly reason: string | null;
  /** What each table does with packets to it. `row`: the one that takes them now; null: none does, or it is not known. */
  readonly tables: Readonly<Record<string, Cell & { readonly row: MatchingRow | null }>>;
  /** Destinations that may hold the address too, and were not looked into. */
  readonly prefixLists: readonly string[];
}

/** `host`: what {@link hostOf} makes of `address`; the picture was asked for it. */
export function explain(address: string, host: Cidr, picture: Picture): Explanation {
  const found = [...picture.leases].find(([, lease]) => holds(lease, host));
  const inside = picture.config.families.find(({ network }) => contains(network, host));
  const prefixLists = [...new Set(Object.values(picture.matches).flatMap((match) => match.prefixLists))];
  const nothing = { lease: null, node: null, status: null, reason: null, prefixLists };
  const tables = (key: string | null) => tablesFor(host, key, picture);
  if (inside === undefined) {
    const networks = picture.config.families.map(({ network }) => network.text).join(' and ');
    const summary = `outside the network ${networks}: Leaseway routes nothing there`;
    return { address, summary, ...nothing, tables: tables(null) };
  }
  if (found === undefined) {
    const guarded = picture.config.protected.find((block) => contains(block, host));
    const summary =
      guarded === undefined ? 'no lease holds it' : `protected by ${guarded.text}: nothing is granted there`;
    return { address, summary, ...nothing, tables: tables(null) };
  }
  const [key, lease] = found;
  const { status = null, reason = null } = picture.plan.leases[key] ?? {};
  return {
    address,
    summary: `in the lease ${key} of ${lease.instanceId ?? 'a reservation'}, at ${lease.eniId}`,
    lease: key,
    node: { instanceId: lease.instanceId, eniId: lease.eniId, nodeIp: lease.nodeIp, state: lease.state },
    status,
    reason,
    tables: tables(key),
    prefixLists,
  };
}

export function explanationText(explanation: Explanation): string {
  const { address, summary, node, status, reason, tables, prefixLists } = explanation;
  const width = Math.max(0, ...Object.keys(tables).map((id) => id.length));
  return [
    `${address}  ${summary}`,
    ...(node === null ? [] : [`  node   ${node.nodeIp ?? '(no IPv4 address)'}, ${node.state}`]),
    ...(status === null ? [] : [`  lease  ${status}: ${reason}`]),
    ...Object.entries(tables).map(
      ([id, { word, detail }]) => `  ${id.padEnd(width)}  ${word}${detail === null ? '' : `: ${detail}`}`,
    ),
    ...(prefixLists.length === 0 || status !== null ? [] : [`  not looked into: ${prefixLists.join(', ')}`]),
  ].join('\n');
}

/** The address as a block of its own. @throws InvalidInput for what is no address. */
export function hostOf(text: string): Cidr {
  const address = tryParseAddress(text);
  if (address !== null) return parseCidr(`${address.text}/${address.family === 'ipv4' ? 32 : 128}`, 'ADDRESS');
  const block = tryParseCidr(text);
  if (block === null) throw new InvalidInput('ADDRESS', text, 'is not an IP address or a CIDR block');
  return block;
}

/** `key`: of the lease that holds the address. Where it asks for no route, the table's own row says where packets go. */
function tablesFor(host: Cidr, key: string | null, picture: Picture): Explanation['tables'] {
  return Object.fromEntries(
    Object.entries(picture.plan.tables).map(([id, table]) => {
      const match = picture.matches[id];
      const ofLease = shadowCell(host, table.shadows) ?? (key === null ? null : cellOf(picture, key, id));
      const cell = ofLease === null || ofLease.word === '-' ? rowCell(table, match) : ofLease;
      return [id, { ...cell, row: match?.row ?? null }];
    }),
  );
}

/** The plain key of a subnet is that of the lease that speaks for it, and comes first. */
function holds(lease: Lease, host: Cidr): boolean {
  return [lease.subnet, lease.ipv6Subnet].some((subnet) => subnet !== null && contains(subnet, host));
}

/** Longer prefixes win: a row of somebody else inside the lease takes the address. */
function shadowCell(host: Cidr, shadows: Picture['plan']['tables'][string]['shadows']): Cell | null {
  const row = shadows.find(({ destination }) => {
    const block = tryParseCidr(destination);
    return block !== null && contains(block, host);
  });
  if (row === undefined) return null;
  return { word: 'shadow', detail: `${row.destination} -> ${row.nextHop} is more specific and not ours` };
}
