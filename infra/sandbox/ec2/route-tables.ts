/** Route tables: made with the VPC's local routes, described by ids and filters, deleted when nothing uses them. */
import { describe } from './describe.ts';
import { dependencyViolation } from './errors.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds } from './ids.ts';
import type { View } from './lag.ts';
import { localRoutes } from './local-routes.ts';
import { routeTableView } from './network-views.ts';
import { type Params, requiredText } from './params.ts';
import type { RawRoute, RouteTable, Vpc } from './records.ts';
import { tagAtCreation } from './tags.ts';
import type { World } from './world.ts';

export const routeTable = (world: World, params: Params): RouteTable =>
  find(world, world.routeTables, idKinds.routeTable, requiredText(params, 'RouteTableId'));

export function addRouteTable(world: World, vpc: Vpc): RouteTable {
  const id = world.ids.next('rtb');
  beforeWrite(world, id);
  const table: RouteTable = { id, vpcId: vpc.id, routes: localRoutes(vpc), associations: [], propagatingVgws: [] };
  world.routeTables.set(id, table);
  return table;
}

export function createRouteTable(world: World, params: Params) {
  const vpc = find(world, world.vpcs, idKinds.vpc, requiredText(params, 'VpcId'));
  const table = addRouteTable(world, vpc);
  tagAtCreation(world, params, table.id);
  return { RouteTable: routeTableView(world, table) };
}

export function deleteRouteTable(world: World, params: Params) {
  const table = routeTable(world, params);
  if (table.associations.length > 0) throw dependencyViolation('routeTable', table.id);
  beforeWrite(world, table.id);
  world.routeTables.delete(table.id);
  world.tags.delete(table.id);
  return {};
}

const associations = (view: View) => view['Associations'] as readonly View[];
const ofAssociations = (member: string) => (view: View) => associations(view).map((one) => one[member]);
const ofRoutes = (member: string) => (view: View) => (view['Routes'] as readonly RawRoute[]).map((one) => one[member]);

export function describeRouteTables(world: World, params: Params) {
  const items = [...world.routeTables.values()].map((table) => ({ id: table.id, view: routeTableView(world, table) }));
  return describe(world, params, items, {
    action: 'DescribeRouteTables',
    answer: 'RouteTables',
    ids: { parameter: 'RouteTableId', kind: idKinds.routeTable },
    limits: { min: 5, max: 100, unasked: 100 },
    filters: {
      'association.gateway-id': ofAssociations('GatewayId'),
      'association.main': ofAssociations('Main'),
      'association.route-table-association-id': ofAssociations('RouteTableAssociationId'),
      'association.route-table-id': ofAssociations('RouteTableId'),
      'association.subnet-id': ofAssociations('SubnetId'),
      'owner-id': (view) => view['OwnerId'],
      'route-table-id': (view) => view['RouteTableId'],
      'route.destination-cidr-block': ofRoutes('DestinationCidrBlock'),
      'route.destination-ipv6-cidr-block': ofRoutes('DestinationIpv6CidrBlock'),
      'route.destination-prefix-list-id': ofRoutes('DestinationPrefixListId'),
      'route.egress-only-internet-gateway-id': ofRoutes('EgressOnlyInternetGatewayId'),
      'route.gateway-id': ofRoutes('GatewayId'),
      'route.instance-id': ofRoutes('InstanceId'),
      'route.nat-gateway-id': ofRoutes('NatGatewayId'),
      'route.origin': ofRoutes('Origin'),
      'route.state': ofRoutes('State'),
      'route.transit-gateway-id': ofRoutes('TransitGatewayId'),
      'route.vpc-peering-connection-id': ofRoutes('VpcPeeringConnectionId'),
      'vpc-id': (view) => view['VpcId'],
    },
  });
}
