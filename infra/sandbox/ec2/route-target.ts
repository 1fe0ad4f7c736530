/** What a route call names as target: exactly one of twelve parameters, resolved to the member that Describe prints. */
import { AwsError } from '../service.ts';
import { invalidCombination, invalidParameter, severalInterfaces } from './errors.ts';
import { find, type IdKind, idKinds, unknownId } from './ids.ts';
import { type Params, text } from './params.ts';
import type { NetworkInterface, RawRoute, RouteTable } from './records.ts';
import type { World } from './world.ts';

export interface Target {
  /** `NetworkInterfaceId`, `GatewayId`, ...: what the route stores. */
  readonly member: string;
  readonly id: string;
  readonly kind: 'interface' | 'subnet-capable' | 'other';
}

const other = (prefix: string, code: string, noun: string): IdKind => ({
  prefix,
  notFound: `${code}.NotFound`,
  malformed: `${code}.NotFound`,
  noun,
});

/** Targets that are neither interfaces nor NAT gateways, with the member they come back in. */
const gatewayTargets: Readonly<Record<string, { readonly member: string; readonly kind: IdKind }>> = {
  GatewayId: { member: 'GatewayId', kind: idKinds.gateway },
  EgressOnlyInternetGatewayId: {
    member: 'EgressOnlyInternetGatewayId',
    kind: other('eigw', 'InvalidEgressOnlyInternetGatewayId', 'egressOnlyInternetGateway ID'),
  },
  VpcPeeringConnectionId: { member: 'VpcPeeringConnectionId', kind: idKinds.peering },
  TransitGatewayId: {
    member: 'TransitGatewayId',
    kind: other('tgw', 'InvalidTransitGatewayID', 'transitGateway ID'),
  },
  LocalGatewayId: { member: 'LocalGatewayId', kind: other('lgw', 'InvalidLocalGatewayID', 'localGateway ID') },
  CarrierGatewayId: {
    member: 'CarrierGatewayId',
    kind: other('cagw', 'InvalidCarrierGatewayID', 'carrierGateway ID'),
  },
  CoreNetworkArn: { member: 'CoreNetworkArn', kind: other('arn', 'InvalidCoreNetworkArn', 'core network ARN') },
  VpcEndpointId: { member: 'GatewayId', kind: idKinds.vpcEndpoint },
  OdbNetworkArn: { member: 'OdbNetworkArn', kind: other('arn', 'InvalidOdbNetworkArn', 'ODB network ARN') },
};

const parameters = ['InstanceId', 'NetworkInterfaceId', 'NatGatewayId', ...Object.keys(gatewayTargets)];

/** The one target parameter of a call; `LocalTarget` is ReplaceRoute's alone. */
export function targetParameter(params: Params, alsoAllowed: readonly string[] = []): string {
  const named = [...parameters, ...alsoAllowed].filter((name) => {
    const value = text(params, name);
    return value !== undefined && !(alsoAllowed.includes(name) && value === 'false');
  });
  const [parameter] = named;
  const choice =
    'exactly one of gatewayId, natGatewayId, networkInterfaceId, vpcPeeringConnectionId, instanceId, egressOnlyInternetGatewayId, transitGatewayId, localGatewayId, carrierGatewayId, coreNetworkArn, vpcEndpointId, odbNetworkArn';
  if (parameter === undefined) throw new AwsError('MissingParameter', `The request must contain ${choice}`);
  if (named.length > 1) throw invalidCombination(`The request must contain ${choice}`);
  return parameter;
}

export function resolveTarget(world: World, table: RouteTable, parameter: string, params: Params): Target {
  const id = text(params, parameter) ?? '';
  if (parameter === 'InstanceId') return throughInterface(table, onlyInterface(world, id));
  if (parameter === 'NetworkInterfaceId') {
    return throughInterface(table, find(world, world.interfaces, idKinds.networkInterface, id));
  }
  if (parameter === 'NatGatewayId') {
    const held = world.natGateways.get(id) ?? find(world, world.gateways, idKinds.natTarget, id);
    refuseOtherNetwork(table, 'NAT gateway', id, held.vpcId);
    return { member: 'NatGatewayId', id, kind: 'subnet-capable' };
  }
  const target = gatewayTargets[parameter];
  const held = world.gateways.get(id);
  if (target === undefined) throw new Error(`no such target parameter: ${parameter}`);
  if (held === undefined) throw unknownId(world, target.kind, id);
  if (held.peerVpcId !== table.vpcId) refuseOtherNetwork(table, 'network gateway', id, held.vpcId);
  return { member: target.member, id, kind: parameter === 'VpcEndpointId' ? 'subnet-capable' : 'other' };
}

/** An instance stands for its interface only while it has exactly one. Also what ModifyInstanceAttribute goes by. */
export function onlyInterface(world: World, instanceId: string): NetworkInterface {
  const instance = find(world, world.instances, idKinds.instance, instanceId);
  const [first, ...rest] = world.interfacesOf(instance.id);
  if (first === undefined) {
    throw invalidParameter(`Invalid value '${instance.id}' for instance ID. Instance is not in a VPC.`);
  }
  if (rest.length > 0) throw severalInterfaces(instance.id);
  return first;
}

function throughInterface(table: RouteTable, held: NetworkInterface): Target {
  refuseOtherNetwork(table, 'interface', held.id, held.vpcId);
  return { member: 'NetworkInterfaceId', id: held.id, kind: 'interface' };
}

function refuseOtherNetwork(table: RouteTable, noun: string, id: string, vpcId: string | undefined): void {
  if (vpcId === table.vpcId) return;
  const head = noun === 'interface' ? 'Route table' : 'route table';
  throw invalidParameter(`${head} ${table.id} and ${noun} ${id} belong to different networks`);
}

export const sameTarget = (route: RawRoute, target: Target) => route[target.member] === target.id;
