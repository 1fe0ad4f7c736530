/** What a route call names as destination: exactly one of three parameters. */
import { type Cidr, contains, parseCidr } from './cidrs.ts';
import { invalidCombination, invalidParameter, invalidValue, missingParameter } from './errors.ts';
import { find, idKinds } from './ids.ts';
import { type Params, text } from './params.ts';
import type { RawRoute } from './records.ts';
import type { World } from './world.ts';

export interface Destination {
  readonly member: 'DestinationCidrBlock' | 'DestinationIpv6CidrBlock' | 'DestinationPrefixListId';
  /** As the caller spelt it. */
  readonly given: string;
  /** As EC2 stores it. */
  readonly canonical: string;
  /** Absent for a prefix list. */
  readonly cidr?: Cidr;
}

const members = ['DestinationCidrBlock', 'DestinationIpv6CidrBlock', 'DestinationPrefixListId'] as const;

export function readDestination(world: World, params: Params): Destination {
  const named = members.filter((member) => text(params, member) !== undefined);
  const [member] = named;
  if (member === undefined) throw missingParameter('destinationCidrBlock');
  if (named.length > 1) {
    throw invalidCombination(
      'The request must contain exactly one of destinationCidrBlock, destinationIpv6CidrBlock, destinationPrefixListId',
    );
  }
  const given = text(params, member) ?? '';
  if (member === 'DestinationPrefixListId') {
    find(world, world.prefixLists, idKinds.prefixList, given);
    return { member, given, canonical: given };
  }
  const cidr = parseCidr(member === 'DestinationCidrBlock' ? 'ipv4' : 'ipv6', given);
  if (cidr === undefined) throw invalidValue(member, given, 'This is not a valid CIDR block.');
  return { member, given, canonical: cidr.text, cidr };
}

/** Ranges that AWS's own link-local services use; wider destinations are accepted. */
const reserved = [parseCidr('ipv4', '169.254.168.0/22'), parseCidr('ipv6', 'fd00:ec2::/32')].filter(
  (range) => range !== undefined,
);

export function refuseReserved({ cidr, given }: Destination): void {
  if (cidr !== undefined && reserved.some((range) => contains(range, cidr))) {
    throw invalidParameter(`You can't add routes for the reserved destination ${given}`);
  }
}

/** Rows that others write (virtual private gateways, route servers). A static row of the same destination may stand beside them. */
export const isPropagated = (route: RawRoute) =>
  route['Origin'] === 'EnableVgwRoutePropagation' || route['Origin'] === 'Advertisement';

/** Static rows of a destination, by the text given: EC2 makes only CreateRoute's CIDRs canonical. */
export const matching = (routes: readonly RawRoute[], member: Destination['member'], destination: string) =>
  routes.find((route) => route[member] === destination && !isPropagated(route));
