/** Seeds route tables with their routes as given, whoever made them. */
import { type Json, listOf, textOf } from './cli-json.ts';
import { localRoutes } from './local-routes.ts';
import type { Association, RawRoute, RouteTable } from './records.ts';
import { addVpcCidr, seedTags, subnetFor, vpcFor } from './seed-networks.ts';
import type { World } from './world.ts';

const gatewayMembers = [
  'GatewayId',
  'NatGatewayId',
  'EgressOnlyInternetGatewayId',
  'VpcPeeringConnectionId',
  'TransitGatewayId',
  'LocalGatewayId',
  'CarrierGatewayId',
  'CoreNetworkArn',
  'OdbNetworkArn',
];

/**
 * Puts the table in without its associations.
 * @returns what puts those in, to be called when the subnets are known
 */
export function seedRouteTable(world: World, json: Json): () => void {
  const vpc = vpcFor(world, textOf(json, 'VpcId'));
  const id = world.ids.take(textOf(json, 'RouteTableId') ?? world.ids.next('rtb'));
  const routes = listOf(json, 'Routes').map(rawRoute);
  for (const route of routes) {
    const cidr = route['DestinationCidrBlock'] ?? route['DestinationIpv6CidrBlock'];
    if (route['GatewayId'] === 'local' && cidr !== undefined) addVpcCidr(world, vpc, cidr);
    knowTargets(world, vpc.id, route);
  }
  const table: RouteTable = {
    id,
    vpcId: vpc.id,
    // Every table has its VPC's local routes; a file that leaves all routes out means a new table.
    routes: Array.isArray(json['Routes']) ? routes : localRoutes(vpc),
    associations: [],
    propagatingVgws: listOf(json, 'PropagatingVgws').flatMap((one) => textOf(one, 'GatewayId') ?? []),
  };
  world.routeTables.set(id, table);
  seedTags(world, id, json);
  return () => {
    table.associations = listOf(json, 'Associations').map((one) => association(world, vpc.id, one));
  };
}

const rawRoute = (json: Json): RawRoute =>
  Object.fromEntries(Object.entries(json).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** So that calls can name the same targets again, and prefix lists are found. */
function knowTargets(world: World, vpcId: string, route: RawRoute): void {
  for (const member of gatewayMembers) {
    const id = route[member];
    if (id === undefined || id === 'local' || world.gateways.has(id)) continue;
    world.gateways.set(world.ids.take(id), { id, vpcId });
  }
  const listId = route['DestinationPrefixListId'];
  if (listId === undefined || world.prefixLists.has(listId)) return;
  world.ids.take(listId);
  world.prefixLists.set(listId, { id: listId, name: listId, ownerId: 'AWS', family: 'IPv4', maxEntries: undefined });
}

function association(world: World, vpcId: string, json: Json): Association {
  const subnetId = textOf(json, 'SubnetId');
  if (subnetId !== undefined) subnetFor(world, { id: subnetId, vpcId, zone: undefined, address: undefined });
  return {
    id: world.ids.take(textOf(json, 'RouteTableAssociationId') ?? world.ids.next('rtbassoc')),
    main: json['Main'] === true,
    subnetId,
    gatewayId: textOf(json, 'GatewayId'),
  };
}
