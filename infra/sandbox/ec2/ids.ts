/**
 * Resource ids: made from a counter (the same calls give the same ids), and told apart as malformed and unknown.
 */
import { AwsError } from '../service.ts';

/** One kind of resource as the error texts and codes name it. EC2's spelling is uneven, hence a table. */
export interface IdKind {
  readonly prefix: string;
  readonly notFound: string;
  readonly malformed: string;
  readonly noun: string;
}

export const idKinds = {
  vpc: { prefix: 'vpc', notFound: 'InvalidVpcID.NotFound', malformed: 'InvalidVpcId.Malformed', noun: 'vpc ID' },
  subnet: {
    prefix: 'subnet',
    notFound: 'InvalidSubnetID.NotFound',
    malformed: 'InvalidSubnetID.Malformed',
    noun: 'subnet ID',
  },
  // NotFound has "ID", Malformed has "Id": that is EC2, not a slip.
  routeTable: {
    prefix: 'rtb',
    notFound: 'InvalidRouteTableID.NotFound',
    malformed: 'InvalidRouteTableId.Malformed',
    noun: 'routeTable ID',
  },
  association: {
    prefix: 'rtbassoc',
    notFound: 'InvalidAssociationID.NotFound',
    malformed: 'InvalidAssociationID.Malformed',
    noun: 'association ID',
  },
  networkInterface: {
    prefix: 'eni',
    notFound: 'InvalidNetworkInterfaceID.NotFound',
    malformed: 'InvalidNetworkInterfaceId.Malformed',
    noun: 'networkInterface ID',
  },
  attachment: {
    prefix: 'eni-attach',
    notFound: 'InvalidAttachmentID.NotFound',
    malformed: 'InvalidAttachmentID.Malformed',
    noun: 'network interface attachment ID',
  },
  instance: {
    prefix: 'i',
    notFound: 'InvalidInstanceID.NotFound',
    malformed: 'InvalidInstanceID.Malformed',
    noun: 'instance ID',
  },
  internetGateway: {
    prefix: 'igw',
    notFound: 'InvalidInternetGatewayID.NotFound',
    malformed: 'InvalidInternetGatewayId.Malformed',
    noun: 'internetGateway ID',
  },
  gateway: {
    prefix: 'igw',
    notFound: 'InvalidGatewayID.NotFound',
    malformed: 'InvalidGatewayID.NotFound',
    noun: 'gateway ID',
  },
  natGateway: {
    prefix: 'nat',
    notFound: 'NatGatewayNotFound',
    malformed: 'NatGatewayMalformed',
    noun: 'natGateway ID',
  },
  // The same gateway as a route's target answers with other codes than DescribeNatGateways does.
  natTarget: {
    prefix: 'nat',
    notFound: 'InvalidNatGatewayID.NotFound',
    malformed: 'InvalidNatGatewayID.NotFound',
    noun: 'natGateway ID',
  },
  vpcEndpoint: {
    prefix: 'vpce',
    notFound: 'InvalidVpcEndpointId.NotFound',
    malformed: 'InvalidVpcEndpointId.Malformed',
    noun: 'vpcEndpoint ID',
  },
  peering: {
    prefix: 'pcx',
    notFound: 'InvalidVpcPeeringConnectionID.NotFound',
    malformed: 'InvalidVpcPeeringConnectionId.Malformed',
    noun: 'vpcPeeringConnection ID',
  },
  prefixList: {
    prefix: 'pl',
    notFound: 'InvalidPrefixListID.NotFound',
    malformed: 'InvalidPrefixListId.Malformed',
    noun: 'prefix list ID',
  },
} as const satisfies Record<string, IdKind>;

/** Counts per prefix; 17 hexadecimal digits, as EC2's long ids have. */
export class IdSequence {
  readonly #last = new Map<string, number>();
  readonly #taken = new Set<string>();

  next(prefix: string): string {
    const number = (this.#last.get(prefix) ?? 0) + 1;
    this.#last.set(prefix, number);
    const id = `${prefix}-0${number.toString(16).padStart(16, '0')}`;
    return this.#taken.has(id) ? this.next(prefix) : id;
  }

  /** Keeps an id that came from elsewhere (a seed) from being given again. */
  take(id: string): string {
    this.#taken.add(id);
    return id;
  }

  /** Whether a seed brought it; it stays so when the resource is gone. */
  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }
}

/** Whose ids are looked up. */
interface Known {
  readonly ids: IdSequence;
}

/**
 * Looks a resource up by id. What is held is found whatever its id looks like (seeds use short names); otherwise the
 * form decides between `...Malformed` and `...NotFound`.
 */
export function find<Resource>(world: Known, held: ReadonlyMap<string, Resource>, kind: IdKind, id: string): Resource {
  const resource = held.get(id);
  if (resource === undefined) throw unknownId(world, kind, id);
  return resource;
}

/**
 * Any number of hexadecimal digits is an id, since seeds use short ones (AWS: 8 or 17), and so is whatever was one
 * before it was deleted.
 */
export function unknownId({ ids }: Known, kind: IdKind, id: string): AwsError {
  const hasPrefix = id.startsWith(`${kind.prefix}-`);
  const isId = hasPrefix && (/^[0-9a-f]{1,17}$/.test(id.slice(kind.prefix.length + 1)) || ids.isTaken(id));
  if (isId) return new AwsError(kind.notFound, `The ${kind.noun} '${id}' does not exist`);
  const expecting = hasPrefix ? '' : ` (expecting "${kind.prefix}-...")`;
  return new AwsError(kind.malformed, `Invalid id: "${id}"${expecting}`);
}
