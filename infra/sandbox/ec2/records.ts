/** What the embedded EC2 remembers of each resource. What Describe prints is derived from it (`network-views.ts`, `instance-views.ts`). */

/** A route as the API prints it: destination, target, `Origin`, `State`. All members are strings. */
export type RawRoute = Readonly<Record<string, string>>;

export interface CidrBlock {
  readonly associationId: string;
  /** Canonical. */
  readonly cidr: string;
}

export interface Vpc {
  readonly id: string;
  /** The first is the primary one. */
  readonly cidrs: CidrBlock[];
  readonly ipv6Cidrs: CidrBlock[];
}

export interface Subnet {
  readonly id: string;
  readonly vpcId: string;
  readonly cidr: string;
  readonly ipv6Cidr: string | undefined;
  readonly zone: string;
}

export interface Association {
  id: string;
  readonly main: boolean;
  readonly subnetId?: string | undefined;
  readonly gatewayId?: string | undefined;
}

export interface RouteTable {
  readonly id: string;
  readonly vpcId: string;
  routes: readonly RawRoute[];
  associations: readonly Association[];
  readonly propagatingVgws: readonly string[];
}

export interface Attachment {
  readonly id: string;
  readonly instanceId: string;
  readonly deviceIndex: number;
  deleteOnTermination: boolean;
  /** ISO 8601 in UTC. */
  readonly attachTime: string;
}

export interface NetworkInterface {
  readonly id: string;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly zone: string;
  readonly mac: string;
  description: string;
  /** The first is the primary one. */
  readonly privateIps: readonly string[];
  readonly ipv6: readonly string[];
  readonly groups: readonly string[];
  sourceDestCheck: boolean;
  attachment?: Attachment | undefined;
}

export type InstanceState = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';

export interface Instance {
  readonly id: string;
  readonly reservationId: string;
  readonly clientToken: string;
  readonly imageId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly launchIndex: number;
  launchTime: string;
  state: InstanceState;
  /**
   * Whether routes to its interfaces carry packets. Stopping and shutting down do not end that, only having stopped or
   * terminated does; hence not the same as a set of states: a stopped instance that shuts down stays dark.
   */
  forwarding: boolean;
  /** Milliseconds since the epoch. */
  terminatedAt?: number;
  reason: string;
}

export interface NatGateway {
  readonly id: string;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly connectivity: string;
  readonly createTime: string;
}

/** Any other route target: internet and virtual private gateways, peerings, endpoints, transit gateways. */
export interface Gateway {
  readonly id: string;
  /** The VPC it is attached to. */
  vpcId: string | undefined;
  /** The other end of a peering. */
  readonly peerVpcId?: string;
}

export interface PrefixList {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly family: 'IPv4' | 'IPv6';
  /** AWS's own lists do not say. */
  readonly maxEntries: number | undefined;
}
