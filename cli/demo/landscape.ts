/** The VPC of the demo: three zones, a private route table each, six nodes, and a public table that nobody listed. */

/** Private tables, one a zone, which the stack lists. */
export const listedTables = ['rtb-a', 'rtb-b', 'rtb-c'];
export const publicTable = 'rtb-public';
const network = '10.244.0.0/16';

export interface Node {
  readonly instanceId: string;
  readonly eniId: string;
  readonly subnetId: string;
  readonly address: string;
}

export const nodes: readonly Node[] = ['a', 'b', 'c'].flatMap((zone, z) =>
  [1, 2].map((n) => ({
    instanceId: `i-${zone}${n}`,
    eniId: `eni-${zone}${n}`,
    subnetId: `subnet-${zone}`,
    address: `10.0.${z + 1}.1${n}`,
  })),
);

const vpc = { VpcId: 'vpc-1' };
const created = { Origin: 'CreateRoute', State: 'active' };
const local = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };

/** A world file without leases. */
export const landscape = {
  config: {
    Network: network,
    SubnetLen: 24,
    Backend: { Type: 'aws-vpc', RouteTableID: listedTables },
  },
  leases: [],
  instances: { Reservations: [{ ReservationId: 'r-1', Instances: nodes.map(instanceOf) }] },
  routeTables: { RouteTables: [...['a', 'b', 'c'].map(privateTable), openTable()] },
};

/** What stands in a private table before Leaseway comes, and must stand there afterwards. */
function privateTable(zone: string) {
  return {
    RouteTableId: `rtb-${zone}`,
    ...vpc,
    Associations: [{ RouteTableAssociationId: `rtbassoc-${zone}`, SubnetId: `subnet-${zone}`, Main: false }],
    Routes: [
      local,
      { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: `nat-${zone}`, ...created },
      { DestinationPrefixListId: 'pl-6ea54007', GatewayId: 'vpce-s3', ...created },
      { DestinationCidrBlock: '172.31.0.0/16', VpcPeeringConnectionId: 'pcx-office', ...created },
      { DestinationCidrBlock: '10.245.1.0/24', NetworkInterfaceId: 'eni-0ther', ...created },
    ],
  };
}

function openTable() {
  return {
    RouteTableId: publicTable,
    ...vpc,
    Associations: [{ RouteTableAssociationId: 'rtbassoc-main', Main: true }],
    Routes: [local, { DestinationCidrBlock: '0.0.0.0/0', GatewayId: 'igw-1', ...created }],
  };
}

function instanceOf(node: Node) {
  const { instanceId, eniId, subnetId, address } = node;
  return {
    InstanceId: instanceId,
    State: { Code: 16, Name: 'running' },
    ...vpc,
    SubnetId: subnetId,
    PrivateIpAddress: address,
    Placement: { AvailabilityZone: `eu-central-1${subnetId.at(-1)}` },
    NetworkInterfaces: [
      {
        NetworkInterfaceId: eniId,
        ...vpc,
        SubnetId: subnetId,
        PrivateIpAddress: address,
        SourceDestCheck: true,
        Attachment: { AttachmentId: `eni-attach-${eniId.slice(4)}`, DeviceIndex: 0, Status: 'attached' },
      },
    ],
  };
}
