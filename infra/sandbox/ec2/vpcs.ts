/** VPCs and their CIDR blocks. Each block is a local route of every table of the VPC. */
import { AwsError } from '../service.ts';
import { type Cidr, contains, type Family, overlaps, parseCidr } from './cidrs.ts';
import { describe } from './describe.ts';
import { invalidValue, missingParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds } from './ids.ts';
import { localRoute } from './local-routes.ts';
import { vpcView } from './network-views.ts';
import { flag, type Params, requiredText, text } from './params.ts';
import type { CidrBlock, Vpc } from './records.ts';
import { addRouteTable } from './route-tables.ts';
import { tagAtCreation } from './tags.ts';
import type { World } from './world.ts';

function blockOf(family: Family, parameter: string, text: string): Cidr {
  const cidr = parseCidr(family, text);
  if (cidr === undefined) throw invalidValue(parameter, text, 'This is not a valid CIDR block.');
  const [widest, narrowest] = family === 'ipv4' ? [16, 28] : [44, 60];
  if (cidr.prefixLength < widest || cidr.prefixLength > narrowest) {
    throw new AwsError('InvalidVpc.Range', `The CIDR '${text}' is invalid.`);
  }
  return cidr;
}

/** A /56 as Amazon gives it; the n-th VPC block of this sandbox gets the n-th. */
function amazonBlock(world: World): string {
  const taken = [...world.vpcs.values()].reduce((sum, vpc) => sum + vpc.ipv6Cidrs.length, 0);
  const bits = taken << 8;
  const group = (bits & 0xffff).toString(16);
  return parseCidr('ipv6', `2a05:d014:${((bits >> 16) + 1).toString(16)}:${group}::/56`)?.text ?? '';
}

const newBlock = (world: World, cidr: string): CidrBlock => ({
  associationId: world.ids.next('vpc-cidr-assoc'),
  cidr,
});

function ipv6Block(world: World, params: Params): CidrBlock | undefined {
  const own = text(params, 'Ipv6CidrBlock');
  if (own !== undefined) return newBlock(world, blockOf('ipv6', 'ipv6CidrBlock', own).text);
  return flag(params, 'AmazonProvidedIpv6CidrBlock') === true ? newBlock(world, amazonBlock(world)) : undefined;
}

export function createVpc(world: World, params: Params) {
  const cidr = blockOf('ipv4', 'cidrBlock', requiredText(params, 'CidrBlock'));
  const vpc: Vpc = { id: world.ids.next('vpc'), cidrs: [newBlock(world, cidr.text)], ipv6Cidrs: [] };
  const ipv6 = ipv6Block(world, params);
  if (ipv6 !== undefined) vpc.ipv6Cidrs.push(ipv6);
  world.vpcs.set(vpc.id, vpc);
  tagAtCreation(world, params, vpc.id);
  const main = addRouteTable(world, vpc);
  main.associations = [{ id: world.ids.next('rtbassoc'), main: true }];
  return { Vpc: vpcView(world, vpc) };
}

export function associateVpcCidrBlock(world: World, params: Params) {
  const vpc = find(world, world.vpcs, idKinds.vpc, requiredText(params, 'VpcId'));
  const ipv6 = ipv6Block(world, params);
  if (ipv6 !== undefined) {
    addBlock(world, vpc, vpc.ipv6Cidrs, ipv6);
    const { associationId, cidr } = ipv6;
    return {
      VpcId: vpc.id,
      Ipv6CidrBlockAssociation: {
        AssociationId: associationId,
        Ipv6CidrBlock: cidr,
        Ipv6CidrBlockState: { State: 'associated' },
      },
    };
  }
  const given = text(params, 'CidrBlock');
  if (given === undefined) throw missingParameter('cidrBlock');
  const block = newBlock(world, blockOf('ipv4', 'cidrBlock', given).text);
  addBlock(world, vpc, vpc.cidrs, block);
  return {
    VpcId: vpc.id,
    CidrBlockAssociation: {
      AssociationId: block.associationId,
      CidrBlock: block.cidr,
      CidrBlockState: { State: 'associated' },
    },
  };
}

function addBlock(world: World, vpc: Vpc, blocks: CidrBlock[], block: CidrBlock): void {
  const family = blocks === vpc.cidrs ? 'ipv4' : 'ipv6';
  const cidr = parseCidr(family, block.cidr);
  const overlapping = blocks.some((other) => {
    const held = parseCidr(family, other.cidr);
    return held !== undefined && cidr !== undefined && overlaps(held, cidr);
  });
  if (overlapping) {
    throw new AwsError('CidrConflict', `The CIDR '${block.cidr}' conflicts with another CIDR of the VPC`);
  }
  blocks.push(block);
  for (const table of world.routeTables.values()) {
    if (table.vpcId !== vpc.id) continue;
    beforeWrite(world, table.id);
    table.routes = [...table.routes, localRoute(block.cidr)];
  }
}

/** The VPC's block that holds the CIDR whole, or nothing. */
export function blockAround(vpc: Vpc, cidr: Cidr): Cidr | undefined {
  const blocks = cidr.family === 'ipv4' ? vpc.cidrs : vpc.ipv6Cidrs;
  return blocks
    .map((block) => parseCidr(cidr.family, block.cidr))
    .find((block) => block !== undefined && contains(block, cidr));
}

export function describeVpcs(world: World, params: Params) {
  const items = [...world.vpcs.values()].map((vpc) => ({ id: vpc.id, view: vpcView(world, vpc) }));
  return describe(world, params, items, {
    action: 'DescribeVpcs',
    answer: 'Vpcs',
    ids: { parameter: 'VpcId', kind: idKinds.vpc },
    filters: {
      'vpc-id': (view) => view['VpcId'],
      cidr: (view) => view['CidrBlock'],
      'cidr-block-association.cidr-block': (view) =>
        world.vpcs.get(String(view['VpcId']))?.cidrs.map(({ cidr }) => cidr),
      'ipv6-cidr-block-association.ipv6-cidr-block': (view) =>
        world.vpcs.get(String(view['VpcId']))?.ipv6Cidrs.map(({ cidr }) => cidr),
      'is-default': (view) => view['IsDefault'],
      'owner-id': (view) => view['OwnerId'],
      state: (view) => view['State'],
    },
  });
}
