/** What happened to route tables between two looks, as plan lines. */
import type { Route } from '@aws-sdk/client-ec2';
import { stepText } from '../../shared/domain/render-plan-text.ts';
import type { Tables } from './aws.ts';

export function destinationOf(route: Route): string {
  return route.DestinationCidrBlock ?? route.DestinationIpv6CidrBlock ?? route.DestinationPrefixListId ?? '?';
}

function nextHopOf(route: Route): string {
  const { NetworkInterfaceId, GatewayId, NatGatewayId, VpcPeeringConnectionId, InstanceId } = route;
  return NetworkInterfaceId ?? InstanceId ?? NatGatewayId ?? VpcPeeringConnectionId ?? GatewayId ?? 'blackhole';
}

/** `rtb-a rtb-b rtb-c  + 10.244.1.0/24 -> eni-a1`: tables with the same change share a line. */
export function changeLines(before: Tables, after: Tables): string[] {
  const tablesByChange = new Map<string, string[]>();
  for (const id of Object.keys(after)) {
    for (const change of changesOf(before[id] ?? [], after[id] ?? [])) {
      tablesByChange.set(change, [...(tablesByChange.get(change) ?? []), id]);
    }
  }
  return [...tablesByChange].map(([change, ids]) => `${ids.join(' ')}  ${change}`);
}

function changesOf(before: readonly Route[], after: readonly Route[]): string[] {
  const was = new Map(before.map((route) => [destinationOf(route), nextHopOf(route)]));
  const is = new Map(after.map((route) => [destinationOf(route), nextHopOf(route)]));
  return [...new Set([...was.keys(), ...is.keys()])].sort(byNumbers).flatMap((destination) => {
    const [old, now] = [was.get(destination), is.get(destination)];
    if (old === now) return [];
    const action = old === undefined ? 'create' : now === undefined ? 'delete' : 'replace';
    return [stepText({ action, destination, nextHop: now ?? null, was: old ?? null })];
  });
}

/** 10.244.9.0/24 before 10.244.10.0/24. */
function byNumbers(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Tables side by side: a line a destination. */
export function tablesText(tables: Tables): string[] {
  const ids = Object.keys(tables);
  const destinations = [...new Set(ids.flatMap((id) => (tables[id] ?? []).map(destinationOf)))].sort(byNumbers);
  const cell = (id: string, destination: string): string => {
    const route = (tables[id] ?? []).find((candidate) => destinationOf(candidate) === destination);
    if (route === undefined) return '.';
    return route.State === 'blackhole' ? `${nextHopOf(route)} (blackhole)` : nextHopOf(route);
  };
  const rows = [['', ...ids], ...destinations.map((to) => [to, ...ids.map((id) => cell(id, to))])];
  const widths = [0, ...ids.map((_, at) => at + 1)].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
