/** The VPC of the whole system: three zones, a private subnet and a private table each, and a main table that nobody listed. */
import type { SubnetSpec } from '../vpc/vpc.ts';

export const vpcCidr = '10.0.0.0/16';
export const network = '10.244.0.0/16';
export const tableIds = ['rtb-a', 'rtb-b', 'rtb-c'] as const;

export type Zone = 'a' | 'b' | 'c';

/** The VPC's subnets; `10.0.1.0/24` is zone a's, `.2` b's, `.3` c's. */
export const subnets: readonly SubnetSpec[] = (['a', 'b', 'c'] as const).map((zone, at) => ({
  id: `subnet-${zone}`,
  cidr: `10.0.${at + 1}.0/24`,
}));

/** What somebody puts into a table until it is full. */
export const filler = '10.250.9.0/24';

const created = { Origin: 'CreateRoute', State: 'active' };
const local = { DestinationCidrBlock: vpcCidr, GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };

/** Rows of others in a zone's table, which must stay as they are: NAT, VPN, hand-made ones beside and in the network. */
const foreignRoutes = (zone: Zone) => [
  local,
  { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: `nat-${zone}`, ...created },
  { DestinationPrefixListId: 'pl-6ea54007', GatewayId: 'vpce-s3', ...created },
  { DestinationCidrBlock: '192.168.0.0/16', GatewayId: 'vgw-0', Origin: 'EnableVgwRoutePropagation', State: 'active' },
  { DestinationCidrBlock: '10.244.240.0/25', NetworkInterfaceId: 'eni-0ther', ...created },
  { DestinationCidrBlock: '10.250.1.0/24', NetworkInterfaceId: 'eni-0dead', Origin: 'CreateRoute', State: 'blackhole' },
];

const fallback = { Type: 'vxlan', VNI: 1, Port: 8472, DirectRouting: true };

export const hybrid = {
  Network: network,
  SubnetLen: 24,
  Backend: { Type: 'aws-vpc', RouteTableID: tableIds, Fallback: fallback },
};

/** The same network without VPC routes: the tables are given up, so that they empty. */
export const overlayOnly = {
  Network: network,
  SubnetLen: 24,
  Backend: fallback,
  Leaseway: { Retired: [{ RouteTableID: tableIds }] },
};

export interface Seeded {
  readonly instanceId: string;
  readonly eniId: string;
  readonly zone: Zone;
  readonly address: string;
}

export function worldOf(machines: readonly Seeded[]) {
  return {
    config: hybrid,
    leases: [],
    instances: { Reservations: [{ ReservationId: 'r-1', Instances: machines.map(instanceOf) }] },
    routeTables: {
      RouteTables: [
        ...(['a', 'b', 'c'] as const).map((zone) => ({
          RouteTableId: `rtb-${zone}`,
          VpcId: 'vpc-1',
          Associations: [{ RouteTableAssociationId: `rtbassoc-${zone}`, SubnetId: `subnet-${zone}`, Main: false }],
          Routes: foreignRoutes(zone),
        })),
        {
          RouteTableId: 'rtb-public',
          VpcId: 'vpc-1',
          Associations: [{ RouteTableAssociationId: 'rtbassoc-main', Main: true }],
          Routes: [local, { DestinationCidrBlock: '0.0.0.0/0', GatewayId: 'igw-1', ...created }],
        },
      ],
    },
  };
}

function instanceOf({ instanceId, eniId, zone, address }: Seeded) {
  const place = { VpcId: 'vpc-1', SubnetId: `subnet-${zone}`, PrivateIpAddress: address };
  return {
    InstanceId: instanceId,
    State: { Code: 16, Name: 'running' },
    ...place,
    Placement: { AvailabilityZone: `eu-central-1${zone}` },
    NetworkInterfaces: [
      {
        NetworkInterfaceId: eniId,
        ...place,
        SourceDestCheck: true,
        Attachment: { AttachmentId: `eni-attach-${eniId.slice(4)}`, DeviceIndex: 0, DeleteOnTermination: true },
      },
    ],
  };
}
