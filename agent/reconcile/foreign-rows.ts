/** What others' rows do to ours: reported, never touched. */
import { type Cidr, contains, tryParseCidr } from '../../shared/domain/cidr.ts';
import { describeRoute, type KernelRoute, ourProtocol } from '../../shared/domain/kernel-rows.ts';
import type { NetworkConfig } from '../../shared/domain/network-config.ts';

/**
 * A foreign row of a wanted prefix and a better metric takes its traffic (a conflict); one inside a remote subnet takes
 * a part of it (a shadow). Rows inside the own subnet are the pods' and expected.
 *
 * @param own The node's own subnets.
 */
export function foreignRows(
  routes: readonly KernelRoute[],
  wanted: readonly KernelRoute[],
  own: readonly Cidr[],
  config: NetworkConfig,
): readonly string[] {
  const subnets = new Map(wanted.map((route) => [route.destination, route]));
  const lengths = [...new Set(config.families.map(({ subnetLen }) => subnetLen))];
  return routes.flatMap((route) => {
    const destination = route.protocol === ourProtocol ? null : tryParseCidr(route.destination);
    if (destination === null) return [];
    if (!config.families.some(({ network }) => contains(network, destination))) return [];
    if (own.some((subnet) => contains(subnet, destination))) return [];
    const same = subnets.get(route.destination);
    if (same !== undefined) return route.metric <= same.metric ? [`conflict: ${describeRoute(route)}`] : [];
    const around = lengths.some((length) => length < destination.length && subnets.has(blockText(destination, length)));
    return around ? [`shadow: ${describeRoute(route)}`] : [];
  });
}

function blockText(destination: Cidr, length: number): string {
  return tryParseCidr(`${destination.text.split('/')[0]}/${length}`)?.text ?? '';
}
