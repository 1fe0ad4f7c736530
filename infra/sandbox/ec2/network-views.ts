/** Networks as Describe prints them, members named as the API model (and the AWS CLI) names them. */
import { sandboxAccount, sandboxRegion } from '../service.ts';
import type { View } from './lag.ts';
import type { Association, NatGateway, PrefixList, RouteTable, Subnet, Vpc } from './records.ts';
import { presentRoute } from './route-state.ts';
import { freeAddresses } from './subnet-addresses.ts';
import { tagViews } from './tag-views.ts';
import type { World } from './world.ts';

const associated = { State: 'associated' };

export function vpcView(world: World, vpc: Vpc): View {
  return {
    CidrBlock: vpc.cidrs[0]?.cidr,
    DhcpOptionsId: 'default',
    State: 'available',
    VpcId: vpc.id,
    OwnerId: sandboxAccount,
    InstanceTenancy: 'default',
    Ipv6CidrBlockAssociationSet: vpc.ipv6Cidrs.map(({ associationId, cidr }) => ({
      AssociationId: associationId,
      Ipv6CidrBlock: cidr,
      Ipv6CidrBlockState: associated,
      NetworkBorderGroup: sandboxRegion,
      Ipv6Pool: 'Amazon',
    })),
    CidrBlockAssociationSet: vpc.cidrs.map(({ associationId, cidr }) => ({
      AssociationId: associationId,
      CidrBlock: cidr,
      CidrBlockState: associated,
    })),
    IsDefault: false,
    Tags: tagViews(world, vpc.id),
  };
}

export function subnetView(world: World, subnet: Subnet): View {
  return {
    AvailabilityZone: subnet.zone,
    AvailableIpAddressCount: freeAddresses(world, subnet),
    CidrBlock: subnet.cidr,
    DefaultForAz: false,
    MapPublicIpOnLaunch: false,
    State: 'available',
    SubnetId: subnet.id,
    VpcId: subnet.vpcId,
    OwnerId: sandboxAccount,
    AssignIpv6AddressOnCreation: false,
    Ipv6CidrBlockAssociationSet:
      subnet.ipv6Cidr === undefined
        ? []
        : [
            {
              AssociationId: `subnet-cidr-assoc-${subnet.id.slice('subnet-'.length)}`,
              Ipv6CidrBlock: subnet.ipv6Cidr,
              Ipv6CidrBlockState: associated,
            },
          ],
    SubnetArn: `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:subnet/${subnet.id}`,
    Tags: tagViews(world, subnet.id),
  };
}

export function routeTableView(world: World, table: RouteTable): View {
  return {
    Associations: table.associations.map((association) => associationView(table, association)),
    PropagatingVgws: table.propagatingVgws.map((GatewayId) => ({ GatewayId })),
    RouteTableId: table.id,
    Routes: table.routes.map((route) => presentRoute(world, route)),
    Tags: tagViews(world, table.id),
    VpcId: table.vpcId,
    OwnerId: sandboxAccount,
  };
}

const associationView = (table: RouteTable, association: Association): View => ({
  Main: association.main,
  RouteTableAssociationId: association.id,
  RouteTableId: table.id,
  SubnetId: association.subnetId,
  GatewayId: association.gatewayId,
  AssociationState: associated,
});

export function natGatewayView(world: World, gateway: NatGateway): View {
  return {
    CreateTime: gateway.createTime,
    NatGatewayAddresses: [],
    NatGatewayId: gateway.id,
    State: 'available',
    SubnetId: gateway.subnetId,
    VpcId: gateway.vpcId,
    ConnectivityType: gateway.connectivity,
    Tags: tagViews(world, gateway.id),
  };
}

export function prefixListView(world: World, held: PrefixList): View {
  return {
    PrefixListId: held.id,
    AddressFamily: held.family,
    State: 'create-complete',
    PrefixListArn: `arn:aws:ec2:${sandboxRegion}:${held.ownerId === 'AWS' ? 'aws' : held.ownerId}:prefix-list/${held.id}`,
    PrefixListName: held.name,
    MaxEntries: held.maxEntries,
    Version: held.maxEntries === undefined ? undefined : 1,
    Tags: tagViews(world, held.id),
    OwnerId: held.ownerId,
  };
}
