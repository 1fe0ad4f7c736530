/** Network interfaces: made in a subnet, described, deleted when nothing holds them. */
import { describe } from './describe.ts';
import { invalidParameter } from './errors.ts';
import { find, idKinds } from './ids.ts';
import { interfaceView } from './instance-views.ts';
import { addInterface, draftInterface, removeInterface } from './interface-drafts.ts';
import type { View } from './lag.ts';
import { type Params, requiredText } from './params.ts';
import type { NetworkInterface } from './records.ts';
import { tagAtCreation } from './tags.ts';
import type { World } from './world.ts';

export const networkInterface = (world: World, params: Params): NetworkInterface =>
  find(world, world.interfaces, idKinds.networkInterface, requiredText(params, 'NetworkInterfaceId'));

export function createNetworkInterface(world: World, params: Params) {
  const subnet = find(world, world.subnets, idKinds.subnet, requiredText(params, 'SubnetId'));
  const held = draftInterface(world, subnet, params, []);
  addInterface(world, held);
  tagAtCreation(world, params, held.id);
  return { NetworkInterface: { ...interfaceView(world, held), Status: 'pending' } };
}

export function deleteNetworkInterface(world: World, params: Params) {
  const held = networkInterface(world, params);
  if (held.attachment !== undefined) {
    throw invalidParameter(`Network interface '${held.id}' is currently in use.`);
  }
  removeInterface(world, held);
  return {};
}

const attachment = (member: string) => (view: View) => (view['Attachment'] as View | undefined)?.[member];
const addresses = (listMember: string, member: string) => (view: View) =>
  (view[listMember] as readonly View[]).map((address) => address[member]);

export function describeNetworkInterfaces(world: World, params: Params) {
  const items = [...world.interfaces.values()].map((held) => ({ id: held.id, view: interfaceView(world, held) }));
  return describe(world, params, items, {
    action: 'DescribeNetworkInterfaces',
    answer: 'NetworkInterfaces',
    ids: { parameter: 'NetworkInterfaceId', kind: idKinds.networkInterface },
    idsExcludePages: 'networkInterfaceIdSet',
    filters: {
      'addresses.private-ip-address': addresses('PrivateIpAddresses', 'PrivateIpAddress'),
      'attachment.attachment-id': attachment('AttachmentId'),
      'attachment.delete-on-termination': attachment('DeleteOnTermination'),
      'attachment.device-index': attachment('DeviceIndex'),
      'attachment.instance-id': attachment('InstanceId'),
      'attachment.instance-owner-id': attachment('InstanceOwnerId'),
      'attachment.status': attachment('Status'),
      'availability-zone': (view) => view['AvailabilityZone'],
      description: (view) => view['Description'],
      'group-id': addresses('Groups', 'GroupId'),
      'ipv6-addresses.ipv6-address': addresses('Ipv6Addresses', 'Ipv6Address'),
      'mac-address': (view) => view['MacAddress'],
      'network-interface-id': (view) => view['NetworkInterfaceId'],
      'owner-id': (view) => view['OwnerId'],
      'private-ip-address': (view) => view['PrivateIpAddress'],
      'source-dest-check': (view) => view['SourceDestCheck'],
      status: (view) => view['Status'],
      'subnet-id': (view) => view['SubnetId'],
      'vpc-id': (view) => view['VpcId'],
    },
  });
}
