/** The VPC that the product meets in these tests: three private tables full of other people's rows, and nodes. */
import type { Route } from '@aws-sdk/client-ec2';
import { sandboxAccount, sandboxRegion } from '../../infra/sandbox/service.ts';

export const tableIds = ['rtb-a', 'rtb-b', 'rtb-c'] as const;

const created = { Origin: 'CreateRoute', State: 'active' };
const local = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };

/** Other people's rows, of every form that must stay as it is. */
export const foreignRows: readonly Readonly<Record<string, string>>[] = [
  local,
  { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-0', ...created },
  { DestinationPrefixListId: 'pl-6ea54007', GatewayId: 'vpce-0', ...created },
  { DestinationCidrBlock: '172.31.0.0/16', VpcPeeringConnectionId: 'pcx-0', ...created },
  { DestinationCidrBlock: '192.168.0.0/16', GatewayId: 'vgw-0', Origin: 'EnableVgwRoutePropagation', State: 'active' },
  { DestinationCidrBlock: '10.128.0.0/9', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.244.0.0/16', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.245.1.0/24', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.244.240.0/25', NetworkInterfaceId: 'eni-0vpn', ...created },
  { DestinationCidrBlock: '10.244.241.0/24', NatGatewayId: 'nat-0', ...created },
  { DestinationCidrBlock: '10.244.242.0/24', GatewayId: 'igw-0', ...created },
  { DestinationCidrBlock: '10.250.1.0/24', NetworkInterfaceId: 'eni-0dead', Origin: 'CreateRoute', State: 'blackhole' },
  { DestinationIpv6CidrBlock: '::/0', EgressOnlyInternetGatewayId: 'eigw-0', ...created },
];

export interface StageOptions {
  readonly nodes: number;
  /** Merged over the plain configuration. */
  readonly backend?: object;
  readonly leaseway?: object;
  readonly leases?: readonly (object & { readonly subnet: string; readonly eniId: string })[];
  readonly foreign?: readonly object[];
  readonly throttle?: boolean;
  /** Whether the routes of the given leases are in the tables at the start. */
  readonly routed?: boolean;
  /** `real`: functions sleep as long as they say. Else their sleeps move the clock, and last no time. */
  readonly waits?: 'real' | 'skip';
}

/** Instance `n`, as in `i-001`. */
export const instanceId = (n: number) => `i-${n.toString(16).padStart(3, '0')}`;
export const eniId = (n: number) => `eni-${n.toString(16).padStart(3, '0')}`;
export const arnOf = (id: string) => `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/${id}`;

/** Whether the row has the destination of one of theirs. */
export function isForeign(row: Route): boolean {
  return foreignRows.some((each) =>
    ['DestinationCidrBlock', 'DestinationIpv6CidrBlock', 'DestinationPrefixListId'].some(
      (key) => each[key] !== undefined && each[key] === (row as Record<string, unknown>)[key],
    ),
  );
}

export function worldOf({
  nodes,
  backend,
  leaseway,
  leases = [],
  foreign = foreignRows,
  routed = false,
}: StageOptions) {
  const routes = leases.map(({ subnet, eniId: eni }) => ({
    DestinationCidrBlock: subnet,
    NetworkInterfaceId: eni,
    ...created,
  }));
  return {
    config: {
      Network: '10.244.0.0/16',
      SubnetLen: 24,
      Backend: { Type: 'aws-vpc', RouteTableID: tableIds, ...backend },
      Leaseway: leaseway,
    },
    leases,
    instances: {
      Reservations: [{ ReservationId: 'r-1', Instances: Array.from({ length: nodes }, (_, at) => instance(at + 1)) }],
    },
    routeTables: {
      RouteTables: [
        ...tableIds.map((id, at) => ({
          RouteTableId: id,
          VpcId: 'vpc-1',
          Associations: [{ RouteTableAssociationId: `rtbassoc-${at}`, SubnetId: `subnet-${at}`, Main: false }],
          Routes: routed ? [...foreign, ...routes] : foreign,
        })),
        {
          RouteTableId: 'rtb-public',
          VpcId: 'vpc-1',
          Associations: [{ RouteTableAssociationId: 'rtbassoc-main', Main: true }],
          Routes: [local],
        },
      ],
    },
  };
}

/** Node `n` in one of three subnets, running. */
export function instance(n: number) {
  const zone = n % 3;
  const address = `10.0.${zone * 64 + (n >> 8)}.${n & 255}`;
  const place = { VpcId: 'vpc-1', SubnetId: `subnet-${zone}`, PrivateIpAddress: address };
  return {
    InstanceId: instanceId(n),
    State: { Code: 16, Name: 'running' },
    ...place,
    NetworkInterfaces: [
      {
        NetworkInterfaceId: eniId(n),
        ...place,
        SourceDestCheck: true,
        Attachment: {
          AttachmentId: `eni-attach-${n.toString(16).padStart(3, '0')}`,
          DeviceIndex: 0,
          Status: 'attached',
          DeleteOnTermination: true,
        },
      },
    ],
  };
}
