/** Where packets to one address go, and why. */
import { type Cidr, contains, parseCidr, tryParseAddress, tryParseCidr } from '../shared/domain/cidr.ts';
import { InvalidInput } from '../shared/domain/invalid-input.ts';
import type { Lease } from '../shared/domain/lease.ts';
import { cellOf, type Picture } from './picture.ts';

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
  /** What each table does with packets to it. */
  readonly tables: Readonly<Record<string, { readonly word: string; readonly detail: string | null }>>;
}

/** @throws InvalidInput for what is no address. */
export function explain(address: string, picture: Picture): Explanation {
  const host = hostOf(address);
  const found = [...picture.leases].find(([, lease]) => holds(lease, host));
  const inside = picture.config.families.find(({ network }) => contains(network, host));
  const nothing = { lease: null, node: null, status: null, reason: null, tables: shadowsOf(host, picture) };
  if (inside === undefined) {
    const networks = picture.config.families.map(({ network }) => network.text).join(' and ');
    return { address, summary: `outside the network ${networks}: Leaseway routes nothing there`, ...nothing };
  }
  if (found === undefined) {
    const guarded = picture.config.protected.find((block) => contains(block, host));
    const summary =
      guarded === undefined ? 'no lease holds it' : `protected by ${guarded.text}: nothing is granted there`;
    return { address, summary, ...nothing };
  }
  const [key, lease] = found;
  const { status = null, reason = null } = picture.plan.leases[key] ?? {};
  const ids = Object.keys(picture.plan.tables);
  return {
    address,
    summary: `in the lease ${key} of ${lease.instanceId ?? 'a reservation'}, at ${lease.eniId}`,
    lease: key,
    node: { instanceId: lease.instanceId, eniId: lease.eniId, nodeIp: lease.nodeIp, state: lease.state },
    status,
    reason,
    tables: { ...Object.fromEntries(ids.map((id) => [id, cellOf(picture, key, id)])), ...shadowsOf(host, picture) },
  };
}

export function explanationText(explanation: Explanation): string {
  const { address, summary, node, status, reason, tables } = explanation;
  const width = Math.max(0, ...Object.keys(tables).map((id) => id.length));
  return [
    `${address}  ${summary}`,
    ...(node === null ? [] : [`  node   ${node.nodeIp ?? '(no IPv4 address)'}, ${node.state}`]),
    ...(status === null ? [] : [`  lease  ${status}: ${reason}`]),
    ...Object.entries(tables).map(
      ([id, { word, detail }]) => `  ${id.padEnd(width)}  ${word}${detail === null ? '' : `: ${detail}`}`,
    ),
  ].join('\n');
}

/** The plain key of a subnet is that of the lease that speaks for it, and comes first. */
function holds(lease: Lease, host: Cidr): boolean {
  return [lease.subnet, lease.ipv6Subnet].some((subnet) => subnet !== null && contains(subnet, host));
}

/** Longer prefixes win: a row of somebody else inside the lease takes the address. */
function shadowsOf(host: Cidr, picture: Picture): Explanation['tables'] {
  return Object.fromEntries(
    Object.entries(picture.plan.tables).flatMap(([id, { shadows }]) => {
      const row = shadows.find(({ destination }) => {
        const block = tryParseCidr(destination);
        return block !== null && contains(block, host);
      });
      if (row === undefined) return [];
      return [[id, { word: 'shadow', detail: `${row.destination} -> ${row.nextHop} is more specific and not ours` }]];
    }),
  );
}

function hostOf(text: string): Cidr {
  const address = tryParseAddress(text);
  if (address !== null) return parseCidr(`${address.text}/${address.family === 'ipv4' ? 32 : 128}`, 'ADDRESS');
  const block = tryParseCidr(text);
  if (block === null) throw new InvalidInput('ADDRESS', text, 'is not an IP address or a CIDR block');
  return block;
}
