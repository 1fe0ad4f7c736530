/**
 * The VPC router's tables as policy routing: VPC addresses first, then the table of the subnet that a frame came from,
 * then nothing. What has no living next hop is a blackhole, which in the kernel, too, is silent.
 */
import { type Cidr, compareCidrs, tryParseCidr } from '../../../shared/domain/cidr.ts';
import type { DescribedRoute, DescribedRouteTable } from './describe.ts';
import type { PlacedEni, PlacedSubnet } from './placed-eni.ts';

/** A row by its key (`<destination> table <number>`, or a rule's selector); the value is the rest of the command. */
export type RouterRows = ReadonlyMap<string, string>;

export const localTable = 1000;
const firstTable = 2000;

const key = (cidr: Cidr, table: number) => `${cidr.text} table ${table}`;
const toEni = (eni: PlacedEni, cidr: Cidr) =>
  cidr.family === 'ipv4' ? `via inet6 ${eni.gateway} dev ${eni.bridge} onlink` : `via ${eni.gateway} dev ${eni.bridge}`;
const nowhere = 'blackhole';

export function localRows(cidrs: readonly string[], enis: Iterable<PlacedEni>): RouterRows {
  const rows = new Map<string, string>();
  for (const text of cidrs) {
    const cidr = tryParseCidr(text);
    if (cidr) rows.set(key(cidr, localTable), nowhere);
  }
  for (const eni of enis) {
    for (const address of [`${eni.address}/32`, ...(eni.ipv6 === undefined ? [] : [`${eni.ipv6}/128`])]) {
      const cidr = tryParseCidr(address);
      if (cidr) rows.set(key(cidr, localTable), toEni(eni, cidr));
    }
  }
  return rows;
}

export function tableRows(
  tables: readonly DescribedRouteTable[],
  numbers: ReadonlyMap<string, number>,
  enis: ReadonlyMap<string, PlacedEni>,
): RouterRows {
  const rows = new Map<string, string>();
  for (const table of tables) {
    const number = numbers.get(table.RouteTableId);
    if (number === undefined) continue;
    for (const route of table.Routes ?? []) {
      const cidr = tryParseCidr(route.DestinationCidrBlock ?? route.DestinationIpv6CidrBlock);
      // A prefix list has no CIDR of its own, and `local` has a table of its own.
      if (cidr && route.GatewayId !== 'local') rows.set(key(cidr, number), nextHop(route, cidr, enis));
    }
  }
  return rows;
}

function nextHop(route: DescribedRoute, cidr: Cidr, enis: ReadonlyMap<string, PlacedEni>): string {
  const eni = route.NetworkInterfaceId === undefined ? undefined : enis.get(route.NetworkInterfaceId);
  // Gateways are outside of the model: what leaves the VPC is gone.
  return eni === undefined || route.State === 'blackhole' ? nowhere : toEni(eni, cidr);
}

/** Keeps the numbers of known tables, so that a change moves no rows that stay. */
export function numberTables(tables: readonly DescribedRouteTable[], known: Map<string, number>): void {
  for (const { RouteTableId } of tables) {
    if (!known.has(RouteTableId)) known.set(RouteTableId, firstTable + known.size);
  }
}

/** Which table each subnet's frames are looked up in: its explicit association, else the main table. */
export function subnetRules(
  subnets: readonly PlacedSubnet[],
  tables: readonly DescribedRouteTable[],
  numbers: ReadonlyMap<string, number>,
): RouterRows {
  const associated = (matches: (entry: { Main?: boolean | undefined; SubnetId?: string | undefined }) => boolean) =>
    tables.find((table) => table.Associations?.some(matches));
  const rules = new Map<string, string>();
  for (const [index, subnet] of subnets.entries()) {
    const table = associated((entry) => entry.SubnetId === subnet.id) ?? associated((entry) => entry.Main === true);
    const number = table && numbers.get(table.RouteTableId);
    if (number === undefined) continue;
    rules.set(`pref ${200 + index} iif ${subnet.bridge}`, `lookup ${number}`);
  }
  return rules;
}

/** The commands between two states; wider destinations first, so that no address is without a row in between. */
export function routeCommands(from: RouterRows, to: RouterRows): readonly string[] {
  const commands: string[] = [];
  for (const [row, hop] of [...to].sort(byDestination)) {
    const before = from.get(row);
    if (before === hop) continue;
    // IPv6 lets a blackhole and a unicast row of one destination stand beside each other: replace is for IPv4 alone.
    const atOnce = before === undefined || !row.includes(':');
    if (atOnce) commands.push(`route replace ${routeText(row, hop)}`);
    else commands.push(`route del ${routeText(row, before)}`, `route add ${routeText(row, hop)}`);
  }
  for (const [row, hop] of from) if (!to.has(row)) commands.push(`route del ${routeText(row, hop)}`);
  return commands;
}

const routeText = (row: string, hop: string): string => (hop === nowhere ? `${nowhere} ${row}` : `${row} ${hop}`);

function byDestination([a]: readonly [string, string], [b]: readonly [string, string]): number {
  const [left, right] = [a, b].map((row) => tryParseCidr(row.split(' ')[0]));
  return left && right ? left.length - right.length || compareCidrs(left, right) : 0;
}

/** For `ip rule` of either family. */
export function ruleCommands(from: RouterRows, to: RouterRows): readonly string[] {
  const missing = [...to].filter(([selector, action]) => from.get(selector) !== action);
  const surplus = [...from].filter(([selector, action]) => to.get(selector) !== action);
  return [
    ...missing.map(([selector, action]) => `rule add ${selector} ${action}`),
    ...surplus.map(([selector, action]) => `rule del ${selector} ${action}`),
  ];
}
