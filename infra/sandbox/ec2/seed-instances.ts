/** Seeds instances with their interfaces, and interfaces by themselves. No event tells of them. */
import { flagOf, type Json, listOf, numberOf, objectOf, textOf } from './cli-json.ts';
import { stateCodes } from './instance-views.ts';
import { newMac } from './interface-drafts.ts';
import type { Attachment, Instance, InstanceState, NetworkInterface } from './records.ts';
import { seedTags, subnetFor } from './seed-networks.ts';
import { takeAddress } from './subnet-addresses.ts';
import type { World } from './world.ts';

function stateOf(json: Json): InstanceState {
  const state = objectOf(json, 'State');
  const name = textOf(state, 'Name') ?? 'running';
  const known = Object.keys(stateCodes).find((candidate) => candidate === name);
  if (known === undefined) throw new Error(`instance state ${name} is none that EC2 has`);
  return known as InstanceState;
}

export function seedInstance(world: World, json: Json, reservation: Json): void {
  const id = world.ids.take(textOf(json, 'InstanceId') ?? world.ids.next('i'));
  const state = stateOf(json);
  const placement = objectOf(json, 'Placement');
  const inherited = {
    VpcId: textOf(json, 'VpcId'),
    SubnetId: textOf(json, 'SubnetId'),
    AvailabilityZone: textOf(placement, 'AvailabilityZone'),
  };
  const held = listOf(json, 'NetworkInterfaces').map((one, index) => {
    const attachment = attachmentOf(world, id, objectOf(one, 'Attachment') ?? {}, index);
    return seedInterface(world, { ...inherited, ...one }, attachment);
  });
  const instance: Instance = {
    id,
    reservationId: world.ids.take(textOf(reservation, 'ReservationId') ?? world.ids.next('r')),
    clientToken: textOf(json, 'ClientToken') ?? '',
    imageId: textOf(json, 'ImageId') ?? 'ami-00000000000000001',
    instanceType: textOf(json, 'InstanceType') ?? 'm6g.large',
    zone: held[0]?.zone ?? inherited.AvailabilityZone ?? '',
    launchIndex: numberOf(json, 'AmiLaunchIndex') ?? 0,
    launchTime: textOf(json, 'LaunchTime') ?? world.timestamp(),
    state,
    forwarding: state !== 'stopped' && state !== 'terminated',
    reason: textOf(json, 'StateTransitionReason') ?? '',
  };
  if (state === 'terminated') instance.terminatedAt = world.clock.now();
  world.instances.set(id, instance);
  seedTags(world, id, json);
}

function attachmentOf(world: World, instanceId: string, json: Json, index: number): Attachment {
  return {
    id: world.ids.take(textOf(json, 'AttachmentId') ?? world.ids.next('eni-attach')),
    instanceId,
    deviceIndex: numberOf(json, 'DeviceIndex') ?? index,
    deleteOnTermination: flagOf(json, 'DeleteOnTermination') ?? index === 0,
    attachTime: textOf(json, 'AttachTime') ?? world.timestamp(),
  };
}

/** Instances print their interfaces too: what is seeded second adds its attachment to what is there. */
export function seedInterface(world: World, json: Json, attachment?: Attachment): NetworkInterface {
  const id = world.ids.take(textOf(json, 'NetworkInterfaceId') ?? world.ids.next('eni'));
  const own = objectOf(json, 'Attachment');
  const instanceId = textOf(own, 'InstanceId');
  const attached =
    attachment ?? (own && instanceId !== undefined ? attachmentOf(world, instanceId, own, 0) : undefined);
  const present = world.interfaces.get(id);
  if (present !== undefined) {
    present.attachment ??= attached;
    return present;
  }
  const addresses = [
    textOf(json, 'PrivateIpAddress'),
    ...listOf(json, 'PrivateIpAddresses').map((one) => textOf(one, 'PrivateIpAddress')),
  ].filter((address) => address !== undefined);
  const subnet = subnetFor(world, {
    id: textOf(json, 'SubnetId'),
    vpcId: textOf(json, 'VpcId'),
    zone: textOf(json, 'AvailabilityZone'),
    address: addresses[0],
  });
  const held: NetworkInterface = {
    id,
    vpcId: subnet.vpcId,
    subnetId: subnet.id,
    zone: subnet.zone,
    mac: textOf(json, 'MacAddress') ?? newMac(world, id),
    description: textOf(json, 'Description') ?? '',
    privateIps: addresses.length > 0 ? [...new Set(addresses)] : [takeAddress(world, subnet, 'ipv4', undefined)],
    ipv6: listOf(json, 'Ipv6Addresses').flatMap((one) => textOf(one, 'Ipv6Address') ?? []),
    groups: listOf(json, 'Groups').flatMap((one) => textOf(one, 'GroupId') ?? []),
    sourceDestCheck: flagOf(json, 'SourceDestCheck') ?? true,
    attachment: attached,
  };
  world.interfaces.set(id, held);
  seedTags(world, id, json);
  return held;
}
