/** Route targets that are no interfaces, as far as routes need them: internet and NAT gateways, endpoints, peerings. */
import { AwsError, sandboxAccount, sandboxRegion } from '../service.ts';
import { describe } from './describe.ts';
import { invalidParameter } from './errors.ts';
import { find, idKinds } from './ids.ts';
import { natGatewayView } from './network-views.ts';
import { list, type Params, requiredText, text } from './params.ts';
import { serviceList } from './prefix-lists.ts';
import type { NatGateway } from './records.ts';
import { refuseWhenFull } from './route-quota.ts';
import { putRoute } from './routes.ts';
import { tagViews } from './tag-views.ts';
import { tagAtCreation } from './tags.ts';
import type { World } from './world.ts';

export function createInternetGateway(world: World, params: Params) {
  const id = world.ids.next('igw');
  world.gateways.set(id, { id, vpcId: undefined });
  tagAtCreation(world, params, id);
  return {
    InternetGateway: { InternetGatewayId: id, OwnerId: sandboxAccount, Attachments: [], Tags: tagViews(world, id) },
  };
}

export function attachInternetGateway(world: World, params: Params) {
  const gateway = find(world, world.gateways, idKinds.internetGateway, requiredText(params, 'InternetGatewayId'));
  const vpc = find(world, world.vpcs, idKinds.vpc, requiredText(params, 'VpcId'));
  if (gateway.vpcId !== undefined) {
    throw new AwsError(
      'Resource.AlreadyAssociated',
      `resource ${gateway.id} is already attached to network ${gateway.vpcId}`,
    );
  }
  gateway.vpcId = vpc.id;
  return {};
}

export function createNatGateway(world: World, params: Params) {
  const subnet = find(world, world.subnets, idKinds.subnet, requiredText(params, 'SubnetId'));
  const gateway: NatGateway = {
    id: world.ids.next('nat'),
    vpcId: subnet.vpcId,
    subnetId: subnet.id,
    connectivity: text(params, 'ConnectivityType') ?? 'public',
    createTime: world.timestamp(),
  };
  world.natGateways.set(gateway.id, gateway);
  tagAtCreation(world, params, gateway.id);
  return { NatGateway: natGatewayView(world, gateway), ClientToken: text(params, 'ClientToken') };
}

export function describeNatGateways(world: World, params: Params) {
  const items = [...world.natGateways.values()].map((held) => ({ id: held.id, view: natGatewayView(world, held) }));
  return describe(world, params, items, {
    action: 'DescribeNatGateways',
    answer: 'NatGateways',
    ids: { parameter: 'NatGatewayId', kind: idKinds.natGateway },
    filters: {
      'nat-gateway-id': (view) => view['NatGatewayId'],
      state: (view) => view['State'],
      'subnet-id': (view) => view['SubnetId'],
      'vpc-id': (view) => view['VpcId'],
    },
  });
}

/** A gateway endpoint writes one prefix-list row into each named table; other endpoint types do not touch routes. */
export function createVpcEndpoint(world: World, params: Params) {
  const vpc = find(world, world.vpcs, idKinds.vpc, requiredText(params, 'VpcId'));
  const service = requiredText(params, 'ServiceName');
  const type = text(params, 'VpcEndpointType') ?? 'Gateway';
  const tables = list(params, 'RouteTableId').map((id) => find(world, world.routeTables, idKinds.routeTable, id));
  const stranger = tables.find(({ vpcId }) => vpcId !== vpc.id);
  if (stranger !== undefined) throw invalidParameter(`Route table ${stranger.id} does not belong to ${vpc.id}`);
  const id = world.ids.next('vpce');
  if (type === 'Gateway') {
    const prefixList = serviceList(world, service);
    if (prefixList === undefined) {
      throw new AwsError('InvalidServiceName', `The Vpc Endpoint Service '${service}' does not exist`);
    }
    const destination = { member: 'DestinationPrefixListId', canonical: prefixList.id } as const;
    for (const table of tables) refuseWhenFull(world, table, destination);
    for (const table of tables) {
      putRoute(world, table, {
        DestinationPrefixListId: prefixList.id,
        GatewayId: id,
        Origin: 'CreateRoute',
        State: 'active',
      });
    }
  }
  world.gateways.set(id, { id, vpcId: vpc.id });
  tagAtCreation(world, params, id);
  return {
    VpcEndpoint: {
      VpcEndpointId: id,
      VpcEndpointType: type,
      VpcId: vpc.id,
      ServiceName: service,
      State: 'available',
      RouteTableIds: tables.map((table) => table.id),
      CreationTimestamp: world.timestamp(),
      OwnerId: sandboxAccount,
      Tags: tagViews(world, id),
    },
  };
}

/** Active at once: nobody sits at the other end of a sandbox to accept it. The peer's VPC may lie outside. */
export function createVpcPeeringConnection(world: World, params: Params) {
  const vpc = find(world, world.vpcs, idKinds.vpc, requiredText(params, 'VpcId'));
  const peerVpcId = requiredText(params, 'PeerVpcId');
  const id = world.ids.next('pcx');
  world.gateways.set(id, { id, vpcId: vpc.id, peerVpcId });
  tagAtCreation(world, params, id);
  return {
    VpcPeeringConnection: {
      VpcPeeringConnectionId: id,
      RequesterVpcInfo: {
        CidrBlock: vpc.cidrs[0]?.cidr,
        OwnerId: sandboxAccount,
        VpcId: vpc.id,
        Region: sandboxRegion,
      },
      AccepterVpcInfo: {
        OwnerId: text(params, 'PeerOwnerId') ?? sandboxAccount,
        VpcId: peerVpcId,
        Region: text(params, 'PeerRegion') ?? sandboxRegion,
      },
      Status: { Code: 'active', Message: 'Active' },
      Tags: tagViews(world, id),
    },
  };
}
