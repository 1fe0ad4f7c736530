/**
 * CreateRoute, ReplaceRoute, DeleteRoute.
 *
 * Sources: the EC2 API reference and error codes; texts as they are quoted from real calls in public issues. Each answer is
 * a case of the contract suite (`test/contract/ec2-contract.ts`).
 */
import { AwsError } from '../service.ts';
import { invalidParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { isLocal, localRoute } from './local-routes.ts';
import type { Params } from './params.ts';
import type { RawRoute, RouteTable } from './records.ts';
import { type Destination, isPropagated, matching, readDestination, refuseReserved } from './route-destination.ts';
import { refuseWhenFull } from './route-quota.ts';
import { routeTable } from './route-tables.ts';
import { resolveTarget, sameTarget, type Target, targetParameter } from './route-target.ts';
import { subnetCidrs } from './subnets.ts';
import { blockAround } from './vpcs.ts';
import type { World } from './world.ts';

export function createRoute(world: World, params: Params) {
  const destination = readDestination(world, params);
  const parameter = targetParameter(params);
  const table = routeTable(world, params);
  const target = resolveTarget(world, table, parameter, params);
  refuseReserved(destination);
  const existing = matching(table.routes, destination.member, destination.canonical);
  if (existing !== undefined) {
    if (isLocal(existing) && target.kind !== 'interface') throw unsupportedTarget();
    if (!sameTarget(existing, target)) {
      throw new AwsError('RouteAlreadyExists', `The route identified by ${destination.canonical} already exists.`);
    }
    return { Return: true };
  }
  refuseInsideVpc(world, table, destination, target);
  refuseWhenFull(world, table, destination);
  putRoute(world, table, staticRoute(destination, target));
  return { Return: true };
}

export function replaceRoute(world: World, params: Params) {
  const destination = readDestination(world, params);
  const parameter = targetParameter(params, ['LocalTarget']);
  const table = routeTable(world, params);
  const existing = matching(table.routes, destination.member, destination.given);
  if (existing === undefined) {
    throw invalidParameter(
      `There is no route defined for '${destination.given}' in the route table. Use CreateRoute instead.`,
    );
  }
  if (isEndpointRoute(existing)) {
    throw invalidParameter(`cannot modify VPC endpoint route ${destination.given} in route table ${table.id}`);
  }
  if (parameter === 'LocalTarget') {
    if (!isLocal(existing)) throw invalidParameter(`${destination.given} is no local route`);
    exchange(world, table, existing, localRoute(destination.canonical));
    return {};
  }
  const target = resolveTarget(world, table, parameter, params);
  if (isLocal(existing) && target.kind === 'other') throw unsupportedTarget();
  if (!isLocal(existing)) refuseInsideVpc(world, table, destination, target);
  if (sameTarget(existing, target)) return {};
  const row = staticRoute(destination, target);
  exchange(world, table, existing, isLocal(existing) ? { ...row, Origin: 'CreateRouteTable' } : row);
  return {};
}

export function deleteRoute(world: World, params: Params) {
  const destination = readDestination(world, params);
  const table = routeTable(world, params);
  const { member, given } = destination;
  const existing = matching(table.routes, member, given);
  const where = `${given} in route table ${table.id}`;
  if (existing === undefined) {
    if (table.routes.some((route) => route[member] === given && isPropagated(route))) {
      throw invalidParameter(`cannot remove propagated route ${where}`);
    }
    throw new AwsError('InvalidRoute.NotFound', `no route with ${wireDestination[member]} ${where}`);
  }
  if (isLocal(existing)) throw invalidParameter(`cannot remove local route ${where}`);
  if (isEndpointRoute(existing)) throw invalidParameter(`cannot remove VPC endpoint route ${where}`);
  beforeWrite(world, table.id);
  table.routes = table.routes.filter((route) => route !== existing);
  return {};
}

const wireDestination: Readonly<Record<Destination['member'], string>> = {
  DestinationCidrBlock: 'destination-cidr-block',
  DestinationIpv6CidrBlock: 'destination-ipv6-cidr-block',
  DestinationPrefixListId: 'destination-prefix-list-id',
};

const unsupportedTarget = () =>
  invalidParameter('Route target is not supported. This route only supports interface and instance targets.');

/** Since 2021 a subnet's own CIDR may be routed (through an appliance); nothing else inside the VPC may. */
function refuseInsideVpc(world: World, table: RouteTable, { cidr }: Destination, target: Target): void {
  const vpc = world.vpc(table.vpcId);
  if (cidr === undefined || blockAround(vpc, cidr) === undefined) return;
  if (!subnetCidrs(world, vpc.id, cidr.family).some(({ text }) => text === cidr.text)) {
    throw invalidParameter("Route destination doesn't match any subnet CIDR blocks.");
  }
  if (target.kind === 'other') throw unsupportedTarget();
}

/** Gateway endpoints write their own rows and are changed through the endpoint only. */
const isEndpointRoute = (route: RawRoute) =>
  route['DestinationPrefixListId'] !== undefined && (route['GatewayId'] ?? '').startsWith('vpce-');

const staticRoute = (destination: Destination, target: Target): RawRoute => ({
  [destination.member]: destination.canonical,
  [target.member]: target.id,
  Origin: 'CreateRoute',
  State: 'active',
});

export function putRoute(world: World, table: RouteTable, route: RawRoute): void {
  beforeWrite(world, table.id);
  table.routes = [...table.routes, route];
}

function exchange(world: World, table: RouteTable, from: RawRoute, to: RawRoute): void {
  beforeWrite(world, table.id);
  table.routes = table.routes.map((route) => (route === from ? to : route));
}
