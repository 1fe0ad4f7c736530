/** What a configuration must agree on with its surroundings: the deployed template and the VPC. */
import { type Cidr, overlaps } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import type { NetworkConfig } from './network-config.ts';

/**
 * Refuses route tables beyond the template's `RouteTableIds`, which is what IAM lets the functions write. Tables that are
 * retired count too: their routes have to be deleted.
 *
 * @throws InvalidInput naming the first id that is not allowed.
 */
export function checkRouteTableCeiling(config: NetworkConfig, ceiling: readonly string[], field = 'config'): void {
  const named = [
    ...(config.backend.type === 'aws-vpc'
      ? config.backend.routeTableIds.map((id) => ({ id, at: `${field}.Backend.RouteTableID` }))
      : []),
    ...config.retired.flatMap(({ routeTableIds }, index) =>
      routeTableIds.map((id) => ({ id, at: `${field}.Leaseway.Retired[${index}].RouteTableID` })),
    ),
  ];
  const beyond = named.find(({ id }) => !ceiling.includes(id));
  if (beyond === undefined) return;
  const allowed = ceiling.length === 0 ? 'which is empty' : `which allows ${ceiling.join(', ')}`;
  throw new InvalidInput(beyond.at, beyond.id, `is not in the template's parameter RouteTableIds, ${allowed}`);
}

/**
 * Refuses a network that shares addresses with the VPC: EC2 answers a route inside a `local` route, if at all, with an
 * error that does not say so.
 *
 * @param vpcCidrs the destinations of the tables' `local` routes, of both families.
 * @throws InvalidInput naming both ranges.
 */
export function checkVpcOverlap(config: NetworkConfig, vpcCidrs: readonly Cidr[], field = 'config'): void {
  for (const { family, network } of config.families) {
    const hit = vpcCidrs.find((cidr) => overlaps(cidr, network));
    if (hit === undefined) continue;
    const key = family === 'ipv4' ? 'Network' : 'IPv6Network';
    throw new InvalidInput(`${field}.${key}`, network.text, `overlaps the VPC's own range ${hit.text}`);
  }
}
