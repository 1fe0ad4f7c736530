/**
 * Routes per table: static rows only, IPv4 and IPv6 apart, a prefix list by its maximum entries.
 *
 * Source: the VPC quotas page of the user guide. Local routes are taken as not counted (AWS does not say).
 */
import { AwsError } from '../service.ts';
import type { RawRoute, RouteTable } from './records.ts';
import type { Destination } from './route-destination.ts';
import type { World } from './world.ts';

interface Weight {
  readonly ipv4: number;
  readonly ipv6: number;
}

function weightOf(world: World, route: RawRoute): Weight {
  if (route['Origin'] !== 'CreateRoute') return { ipv4: 0, ipv6: 0 };
  const listId = route['DestinationPrefixListId'];
  const list = listId === undefined ? undefined : world.prefixLists.get(listId);
  const weight = list?.maxEntries ?? 1;
  const isIpv6 = list === undefined ? route['DestinationIpv6CidrBlock'] !== undefined : list.family === 'IPv6';
  return isIpv6 ? { ipv4: 0, ipv6: weight } : { ipv4: weight, ipv6: 0 };
}

/** Throws `RouteLimitExceeded` unless the table has room for one more row of this destination. */
export function refuseWhenFull(
  world: World,
  table: RouteTable,
  destination: Pick<Destination, 'member' | 'canonical'>,
): void {
  const limit = world.routeLimits.get(table.id) ?? world.routeLimit;
  const added = weightOf(world, { [destination.member]: destination.canonical, Origin: 'CreateRoute' });
  const used = table.routes.map((route) => weightOf(world, route));
  const over = (family: keyof Weight) =>
    added[family] > 0 && used.reduce((sum, weight) => sum + weight[family], 0) + added[family] > limit;
  if (over('ipv4') || over('ipv6')) {
    throw new AwsError('RouteLimitExceeded', 'The maximum number of routes has been reached.');
  }
}
