/** The local routes every table is born with: one per CIDR block of the VPC. */
import type { RawRoute, Vpc } from './records.ts';

const destinationMember = (cidr: string) => (cidr.includes(':') ? 'DestinationIpv6CidrBlock' : 'DestinationCidrBlock');

export const localRoute = (cidr: string): RawRoute => ({
  [destinationMember(cidr)]: cidr,
  GatewayId: 'local',
  Origin: 'CreateRouteTable',
  State: 'active',
});

export const localRoutes = (vpc: Vpc): readonly RawRoute[] =>
  [...vpc.cidrs, ...vpc.ipv6Cidrs].map(({ cidr }) => localRoute(cidr));

/** Also where its target was replaced: a local route stays one. */
export const isLocal = (route: RawRoute) => route['Origin'] === 'CreateRouteTable';
