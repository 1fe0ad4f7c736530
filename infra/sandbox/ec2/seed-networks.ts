/** Seeds VPCs and subnets, given or guessed. */
import { sandboxRegion } from '../service.ts';
import { contains, overlaps, parseCidr } from './cidrs.ts';
import { type Json, listOf, textOf } from './cli-json.ts';
import type { Subnet, Vpc } from './records.ts';
import { subnetCidrs } from './subnets.ts';
import type { World } from './world.ts';

export function seedTags(world: World, id: string, json: Json): void {
  const tags = [...listOf(json, 'Tags'), ...listOf(json, 'TagSet')];
  const pairs = tags.map((tag) => [textOf(tag, 'Key') ?? '', textOf(tag, 'Value') ?? ''] as const);
  if (pairs.length > 0) world.tags.set(id, new Map(pairs));
}

export function seedVpc(world: World, json: Json): Vpc {
  const id = world.ids.take(textOf(json, 'VpcId') ?? world.ids.next('vpc'));
  const vpc: Vpc = { id, cidrs: [], ipv6Cidrs: [] };
  world.vpcs.set(id, vpc);
  const given = [
    textOf(json, 'CidrBlock'),
    ...listOf(json, 'CidrBlockAssociationSet').map((one) => textOf(one, 'CidrBlock')),
  ];
  const ipv6 = listOf(json, 'Ipv6CidrBlockAssociationSet').map((one) => textOf(one, 'Ipv6CidrBlock'));
  for (const cidr of [...given, ...ipv6]) if (cidr !== undefined) addVpcCidr(world, vpc, cidr);
  seedTags(world, id, json);
  return vpc;
}

export function addVpcCidr(world: World, vpc: Vpc, cidr: string): void {
  const blocks = cidr.includes(':') ? vpc.ipv6Cidrs : vpc.cidrs;
  if (blocks.some((block) => block.cidr === cidr)) return;
  blocks.push({ associationId: world.ids.next('vpc-cidr-assoc'), cidr });
}

/** The VPC named, or one made for it; without a name, the only one there is. */
export function vpcFor(world: World, id: string | undefined): Vpc {
  const [first] = world.vpcs.values();
  if (id === undefined && first !== undefined) return first;
  return (id === undefined ? undefined : world.vpcs.get(id)) ?? seedVpc(world, id === undefined ? {} : { VpcId: id });
}

export function seedSubnet(world: World, json: Json): Subnet {
  const vpc = vpcFor(world, textOf(json, 'VpcId'));
  const id = world.ids.take(textOf(json, 'SubnetId') ?? world.ids.next('subnet'));
  const [ipv6] = listOf(json, 'Ipv6CidrBlockAssociationSet');
  const subnet: Subnet = {
    id,
    vpcId: vpc.id,
    cidr: textOf(json, 'CidrBlock') ?? unusedCidr(world, vpc),
    ipv6Cidr: ipv6 && textOf(ipv6, 'Ipv6CidrBlock'),
    zone: textOf(json, 'AvailabilityZone') ?? `${sandboxRegion}a`,
  };
  world.subnets.set(id, subnet);
  seedTags(world, id, json);
  return subnet;
}

/** A /24 of the VPC that no subnet has; the VPC gets a block when nobody said which it has. */
function unusedCidr(world: World, vpc: Vpc): string {
  if (vpc.cidrs.length === 0) addVpcCidr(world, vpc, '10.0.0.0/16');
  const block = parseCidr('ipv4', vpc.cidrs[0]?.cidr ?? '');
  const used = subnetCidrs(world, vpc.id, 'ipv4');
  for (let third = 255; third >= 0; third -= 1) {
    const [a, b] = (block?.text ?? '').split('.');
    const candidate = parseCidr('ipv4', `${a}.${b}.${third}.0/24`);
    if (candidate === undefined || block === undefined || !contains(block, candidate)) continue;
    if (!used.some((other) => overlaps(other, candidate))) return candidate.text;
  }
  return block?.text ?? '10.0.0.0/16';
}

/** The subnet named, or one made for it around an address that is known to lie in it. */
export function subnetFor(
  world: World,
  named: { id: string | undefined; vpcId: string | undefined; zone: string | undefined; address: string | undefined },
): Subnet {
  const held = named.id === undefined ? undefined : world.subnets.get(named.id);
  if (held !== undefined) return held;
  const around = named.address === undefined ? undefined : parseCidr('ipv4', `${named.address}/24`)?.text;
  if (named.id === undefined && around !== undefined) {
    const same = [...world.subnets.values()].find(({ cidr }) => cidr === around);
    if (same !== undefined) return same;
  }
  return seedSubnet(world, {
    SubnetId: named.id,
    VpcId: named.vpcId,
    CidrBlock: around,
    AvailabilityZone: named.zone,
  });
}
