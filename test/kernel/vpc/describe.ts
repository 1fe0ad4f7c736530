/** What the VPC takes over from EC2: the parts of two Describe answers that decide where packets go. */

/** An element of `aws ec2 describe-route-tables` under `RouteTables`. */
export interface DescribedRouteTable {
  readonly RouteTableId: string;
  readonly Associations?: readonly {
    readonly Main?: boolean | undefined;
    readonly SubnetId?: string | undefined;
  }[];
  readonly Routes?: readonly DescribedRoute[];
}

export interface DescribedRoute {
  readonly DestinationCidrBlock?: string | undefined;
  readonly DestinationIpv6CidrBlock?: string | undefined;
  readonly NetworkInterfaceId?: string | undefined;
  readonly GatewayId?: string | undefined;
  readonly Origin?: string | undefined;
  readonly State?: string | undefined;
}

/** An element of `aws ec2 describe-network-interfaces` under `NetworkInterfaces`. */
export interface DescribedInterface {
  readonly NetworkInterfaceId: string;
  readonly SourceDestCheck?: boolean | undefined;
}
