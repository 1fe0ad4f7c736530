/** Instances and their interfaces as Describe prints them, members named as the API model (and the AWS CLI) names them. */
import { sandboxAccount, sandboxRegion } from '../service.ts';
import type { View } from './lag.ts';
import type { Instance, InstanceState, NetworkInterface } from './records.ts';
import { tagViews } from './tag-views.ts';
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

const privateName = (primary: NetworkInterface | undefined) => {
  const address = primary?.privateIps[0];
  return address === undefined ? '' : `ip-${address.replaceAll('.', '-')}.${sandboxRegion}.compute.internal`;
};

export function instanceViews(world: World): readonly { readonly id: string; readonly view: View }[] {
  // One pass over the interfaces instead of one per instance: a read of a thousand nodes is usual here.
  const attached = world.attachedInterfaces();
  return [...world.instances.values()].map((held) => ({
    id: held.id,
    view: instanceView(world, held, attached.get(held.id) ?? []),
  }));
}

export function instanceView(
  world: World,
  instance: Instance,
  interfaces: readonly NetworkInterface[] = world.interfacesOf(instance.id),
): View {
  const primary = interfaces.find((candidate) => candidate.attachment?.deviceIndex === 0);
  return {
    AmiLaunchIndex: instance.launchIndex,
    ImageId: instance.imageId,
    InstanceId: instance.id,
    InstanceType: instance.instanceType,
    LaunchTime: instance.launchTime,
    Monitoring: { State: 'disabled' },
    Placement: { AvailabilityZone: instance.zone, GroupName: '', Tenancy: 'default' },
    PrivateDnsName: privateName(primary),
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
