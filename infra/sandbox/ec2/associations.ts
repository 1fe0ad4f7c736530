/** Which table a subnet (or gateway) uses: its own association, else the VPC's main one. */
import { AwsError } from '../service.ts';
import { invalidParameter, missingParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds, unknownId } from './ids.ts';
import { type Params, requiredText, text } from './params.ts';
import type { Association, RouteTable } from './records.ts';
import { routeTable } from './route-tables.ts';
import type { World } from './world.ts';

const associated = { State: 'associated' };

function holder(world: World, associationId: string): { table: RouteTable; association: Association } {
  for (const table of world.routeTables.values()) {
    const association = table.associations.find(({ id }) => id === associationId);
    if (association !== undefined) return { table, association };
  }
  throw unknownId(world, idKinds.association, associationId);
}

function remove(world: World, table: RouteTable, association: Association): void {
  beforeWrite(world, table.id);
  table.associations = table.associations.filter((other) => other !== association);
}

export function associateRouteTable(world: World, params: Params) {
  const table = routeTable(world, params);
  const subnetId = text(params, 'SubnetId');
  const gatewayId = text(params, 'GatewayId');
  if (subnetId === undefined && gatewayId === undefined) throw missingParameter('subnetId or gatewayId');
  const target =
    subnetId === undefined
      ? find(world, world.gateways, idKinds.gateway, gatewayId ?? '')
      : find(world, world.subnets, idKinds.subnet, subnetId);
  if (target.vpcId !== table.vpcId) {
    throw invalidParameter(`Route table ${table.id} and ${target.id} belong to different networks`);
  }
  const held = [...world.routeTables.values()].flatMap((other) =>
    other.associations.map((association) => ({ other, association })),
  );
  const existing = held.find(
    ({ association }) => association.subnetId === target.id || association.gatewayId === target.id,
  );
  if (existing !== undefined && existing.other !== table) {
    throw new AwsError(
      'Resource.AlreadyAssociated',
      `the specified association for route table ${table.id} conflicts with an existing association`,
    );
  }
  if (existing !== undefined) return { AssociationId: existing.association.id, AssociationState: associated };
  const association = { id: world.ids.next('rtbassoc'), main: false, subnetId, gatewayId };
  beforeWrite(world, table.id);
  table.associations = [...table.associations, association];
  return { AssociationId: association.id, AssociationState: associated };
}

export function disassociateRouteTable(world: World, params: Params) {
  const { table, association } = holder(world, requiredText(params, 'AssociationId'));
  if (association.main) {
    throw invalidParameter(`cannot disassociate the main route table association ${association.id}`);
  }
  remove(world, table, association);
  return {};
}

/** Moves the association to another table under a new id; with the main one this changes the VPC's main table. */
export function replaceRouteTableAssociation(world: World, params: Params) {
  const { table: from, association } = holder(world, requiredText(params, 'AssociationId'));
  const to = routeTable(world, params);
  if (from.vpcId !== to.vpcId) {
    throw invalidParameter(`Route tables ${from.id} and ${to.id} belong to different networks`);
  }
  remove(world, from, association);
  const moved = { ...association, id: world.ids.next('rtbassoc') };
  beforeWrite(world, to.id);
  to.associations = [...to.associations, moved];
  return { NewAssociationId: moved.id, AssociationState: associated };
}
