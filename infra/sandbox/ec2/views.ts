/** Each resource as Describe prints it, members named as the API model (and the AWS CLI) names them. */
import { sandboxAccount, sandboxRegion } from '../service.ts';
import type { View } from './lag.ts';
import type {
  Association,
  Instance,
  InstanceState,
  NatGateway,
  NetworkInterface,
  PrefixList,
  RouteTable,
  Subnet,
  Vpc,
} from './records.ts';
import { presentRoute } from './route-state.ts';
import { freeAddresses } from './subnet-addresses.ts';
import type { World } from './world.ts';

export const stateCodes: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

export const stateView = (state: InstanceState) => ({ Code: stateCodes[state], Name: state });

export const tagViews = (world: World, id: string) =>
  [...(world.tags.get(id) ?? [])].map(([Key, Value]) => ({ Key, Value }));

const associated = { State: 'associated' };

export function vpcView(world: World, vpc: Vpc): View {
  return {
    CidrBlock: vpc.cidrs[0]?.cidr,
    DhcpOptionsId: 'default',
    State: 'available',
    VpcId: vpc.id,
    OwnerId: sandboxAccount,
    InstanceTenancy: 'default',
    Ipv6CidrBlockAssociationSet: vpc.ipv6Cidrs.map(({ associationId, cidr }) => ({
      AssociationId: associationId,
      Ipv6CidrBlock: cidr,
      Ipv6CidrBlockState: associated,
      NetworkBorderGroup: sandboxRegion,
      Ipv6Pool: 'Amazon',
    })),
    CidrBlockAssociationSet: vpc.cidrs.map(({ associationId, cidr }) => ({
      AssociationId: associationId,
      CidrBlock: cidr,
      CidrBlockState: associated,
    })),
    IsDefault: false,
    Tags: tagViews(world, vpc.id),
  };
}

export function subnetView(world: World, subnet: Subnet): View {
  return {
    AvailabilityZone: subnet.zone,
    AvailableIpAddressCount: freeAddresses(world, subnet),
    CidrBlock: subnet.cidr,
    DefaultForAz: false,
    MapPublicIpOnLaunch: false,
    State: 'available',
    SubnetId: subnet.id,
    VpcId: subnet.vpcId,
    OwnerId: sandboxAccount,
    AssignIpv6AddressOnCreation: false,
    Ipv6CidrBlockAssociationSet:
      subnet.ipv6Cidr === undefined
        ? []
        : [
            {
              AssociationId: `subnet-cidr-assoc-${subnet.id.slice('subnet-'.length)}`,
              Ipv6CidrBlock: subnet.ipv6Cidr,
              Ipv6CidrBlockState: associated,
            },
          ],
    SubnetArn: `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:subnet/${subnet.id}`,
    Tags: tagViews(world, subnet.id),
  };
}

export function routeTableView(world: World, table: RouteTable): View {
  return {
    Associations: table.associations.map((association) => associationView(table, association)),
    PropagatingVgws: table.propagatingVgws.map((GatewayId) => ({ GatewayId })),
    RouteTableId: table.id,
    Routes: table.routes.map((route) => presentRoute(world, route)),
    Tags: tagViews(world, table.id),
    VpcId: table.vpcId,
    OwnerId: sandboxAccount,
  };
}

const associationView = (table: RouteTable, association: Association): View => ({
  Main: association.main,
  RouteTableAssociationId: association.id,
  RouteTableId: table.id,
  SubnetId: association.subnetId,
  GatewayId: association.gatewayId,
  AssociationState: associated,
});

const addressViews = (held: NetworkInterface) =>
  held.privateIps.map((PrivateIpAddress, index) => ({ Primary: index === 0, PrivateIpAddress }));

const groupViews = (held: NetworkInterface) => held.groups.map((GroupId) => ({ GroupId, GroupName: 'default' }));

function attachmentView(held: NetworkInterface): View | undefined {
  const { attachment } = held;
  if (attachment === undefined) return undefined;
  return {
    AttachTime: attachment.attachTime,
    AttachmentId: attachment.id,
    DeleteOnTermination: attachment.deleteOnTermination,
    DeviceIndex: attachment.deviceIndex,
    NetworkCardIndex: 0,
    Status: 'attached',
  };
}

/** What an interface shows of itself, whether listed alone or within its instance. */
const interfaceFacts = (held: NetworkInterface) => ({
  Description: held.description,
  Groups: groupViews(held),
  Ipv6Addresses: held.ipv6.map((Ipv6Address) => ({ Ipv6Address, IsPrimaryIpv6: false })),
  MacAddress: held.mac,
  NetworkInterfaceId: held.id,
  OwnerId: sandboxAccount,
  PrivateIpAddress: held.privateIps[0],
  PrivateIpAddresses: addressViews(held),
  SourceDestCheck: held.sourceDestCheck,
  Status: held.attachment === undefined ? 'available' : 'in-use',
  SubnetId: held.subnetId,
  VpcId: held.vpcId,
  InterfaceType: 'interface',
});

export function interfaceView(world: World, held: NetworkInterface): View {
  const attachment = attachmentView(held);
  return {
    Attachment: attachment && {
      ...attachment,
      InstanceId: held.attachment?.instanceId,
      InstanceOwnerId: sandboxAccount,
    },
    AvailabilityZone: held.zone,
    ...interfaceFacts(held),
    RequesterManaged: false,
    TagSet: tagViews(world, held.id),
  };
}

export function instanceView(world: World, instance: Instance): View {
  const interfaces = world.interfacesOf(instance.id);
  const primary = interfaces.find((candidate) => candidate.attachment?.deviceIndex === 0);
  return {
    AmiLaunchIndex: instance.launchIndex,
    ImageId: instance.imageId,
    InstanceId: instance.id,
    InstanceType: instance.instanceType,
    LaunchTime: instance.launchTime,
    Monitoring: { State: 'disabled' },
    Placement: { AvailabilityZone: instance.zone, GroupName: '', Tenancy: 'default' },
    PrivateDnsName: primary?.privateIps[0] === undefined ? '' : `ip-${primary.privateIps[0].replaceAll('.', '-')}`,
    PrivateIpAddress: primary?.privateIps[0],
    Ipv6Address: primary?.ipv6[0],
    PublicDnsName: '',
    State: stateView(instance.state),
    StateTransitionReason: instance.reason,
    SubnetId: primary?.subnetId,
    VpcId: primary?.vpcId,
    Architecture: 'arm64',
    ClientToken: instance.clientToken,
    Hypervisor: 'xen',
    NetworkInterfaces: interfaces.map((held) => ({ ...interfaceFacts(held), Attachment: attachmentView(held) })),
    RootDeviceType: 'ebs',
    SecurityGroups: primary === undefined ? [] : groupViews(primary),
    // AWS leaves it out for an instance without interfaces and speaks of the primary one otherwise.
    SourceDestCheck: primary?.sourceDestCheck,
    Tags: tagViews(world, instance.id),
    VirtualizationType: 'hvm',
  };
}

export function natGatewayView(world: World, gateway: NatGateway): View {
  return {
    CreateTime: gateway.createTime,
    NatGatewayAddresses: [],
    NatGatewayId: gateway.id,
    State: 'available',
    SubnetId: gateway.subnetId,
    VpcId: gateway.vpcId,
    ConnectivityType: gateway.connectivity,
    Tags: tagViews(world, gateway.id),
  };
}

export function prefixListView(world: World, held: PrefixList): View {
  return {
    PrefixListId: held.id,
    AddressFamily: held.family,
    State: 'create-complete',
    PrefixListArn: `arn:aws:ec2:${sandboxRegion}:${held.ownerId === 'AWS' ? 'aws' : held.ownerId}:prefix-list/${held.id}`,
    PrefixListName: held.name,
    MaxEntries: held.maxEntries,
    Version: held.maxEntries === undefined ? undefined : 1,
    Tags: tagViews(world, held.id),
    OwnerId: held.ownerId,
  };
}
