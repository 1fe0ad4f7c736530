/** Subnets: a piece of one CIDR block of a VPC, in one zone. */
import { AwsError, sandboxRegion } from '../service.ts';
import { type Cidr, type Family, overlaps, parseCidr } from './cidrs.ts';
import { describe } from './describe.ts';
import { dependencyViolation, invalidValue } from './errors.ts';
import { find, idKinds } from './ids.ts';
import { subnetView } from './network-views.ts';
import { type Params, requiredText, text } from './params.ts';
import type { Subnet, Vpc } from './records.ts';
import { tagAtCreation } from './tags.ts';
import { blockAround } from './vpcs.ts';
import type { World } from './world.ts';

function pieceOf(world: World, vpc: Vpc, family: Family, parameter: string, given: string): Cidr {
  const cidr = parseCidr(family, given);
  if (cidr === undefined) throw invalidValue(parameter, given, 'This is not a valid CIDR block.');
  if (blockAround(vpc, cidr) === undefined) {
    throw new AwsError('InvalidSubnet.Range', `The CIDR '${given}' is invalid.`);
  }
  if (subnetCidrs(world, vpc.id, family).some((other) => overlaps(other, cidr))) {
    throw new AwsError('InvalidSubnet.Conflict', `The CIDR '${given}' conflicts with another subnet`);
  }
  return cidr;
}

export function subnetCidrs(world: World, vpcId: string, family: Family): readonly Cidr[] {
  return [...world.subnets.values()].flatMap((subnet) => {
    const held = family === 'ipv4' ? subnet.cidr : subnet.ipv6Cidr;
    const cidr = held === undefined || subnet.vpcId !== vpcId ? undefined : parseCidr(family, held);
    return cidr === undefined ? [] : [cidr];
  });
}

export function createSubnet(world: World, params: Params) {
  const vpc = find(world, world.vpcs, idKinds.vpc, requiredText(params, 'VpcId'));
  const cidr = pieceOf(world, vpc, 'ipv4', 'cidrBlock', requiredText(params, 'CidrBlock'));
  const ipv6 = text(params, 'Ipv6CidrBlock');
  const subnet: Subnet = {
    id: world.ids.next('subnet'),
    vpcId: vpc.id,
    cidr: cidr.text,
    ipv6Cidr: ipv6 === undefined ? undefined : pieceOf(world, vpc, 'ipv6', 'ipv6CidrBlock', ipv6).text,
    zone: text(params, 'AvailabilityZone') ?? `${sandboxRegion}a`,
  };
  world.subnets.set(subnet.id, subnet);
  tagAtCreation(world, params, subnet.id);
  return { Subnet: subnetView(world, subnet) };
}

export function deleteSubnet(world: World, params: Params) {
  const subnet = find(world, world.subnets, idKinds.subnet, requiredText(params, 'SubnetId'));
  const used = [...world.interfaces.values(), ...world.natGateways.values()];
  if (used.some(({ subnetId }) => subnetId === subnet.id)) throw dependencyViolation('subnet', subnet.id);
  world.subnets.delete(subnet.id);
  world.tags.delete(subnet.id);
  for (const table of world.routeTables.values()) {
    table.associations = table.associations.filter(({ subnetId }) => subnetId !== subnet.id);
  }
  return {};
}

export function describeSubnets(world: World, params: Params) {
  const items = [...world.subnets.values()].map((subnet) => ({ id: subnet.id, view: subnetView(world, subnet) }));
  return describe(world, params, items, {
    action: 'DescribeSubnets',
    answer: 'Subnets',
    ids: { parameter: 'SubnetId', kind: idKinds.subnet },
    filters: {
      'subnet-id': (view) => view['SubnetId'],
      'vpc-id': (view) => view['VpcId'],
      'availability-zone': (view) => view['AvailabilityZone'],
      'cidr-block': (view) => view['CidrBlock'],
      'owner-id': (view) => view['OwnerId'],
      state: (view) => view['State'],
    },
  });
}
