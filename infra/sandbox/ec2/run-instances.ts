/** RunInstances: one primary interface, made or given, and any number of further ones. */
import { AwsError } from '../service.ts';
import { newAttachment } from './attachments.ts';
import { invalidCombination, invalidParameter, missingParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds } from './ids.ts';
import { enter } from './instance-lifecycle.ts';
import { reservationView } from './instances.ts';
import { addInterface, draftInterface, inUse } from './interface-drafts.ts';
import { flag, integer, type Params, requiredInteger, structures, text } from './params.ts';
import type { Instance, NetworkInterface } from './records.ts';
import { tagAtCreation } from './tags.ts';
import type { World } from './world.ts';

interface Slot {
  readonly deviceIndex: number;
  readonly held: NetworkInterface;
  readonly isNew: boolean;
  readonly deleteOnTermination: boolean;
}

/** What the call says about each interface: its own list, or the one interface that the short form means. */
function specifications(params: Params): readonly Params[] {
  const named = structures(params, 'NetworkInterface');
  const short = ['SubnetId', 'PrivateIpAddress', 'Ipv6AddressCount'].find((name) => text(params, name) !== undefined);
  if (named.length === 0) return [{ ...params, DeviceIndex: '0', Description: '' }];
  if (short !== undefined) {
    throw invalidCombination(
      `Network interfaces and an instance-level ${short} may not be specified on the same request`,
    );
  }
  const indices = named.map((one) => integer(one, 'DeviceIndex'));
  if (!indices.includes(0)) throw invalidParameter('A primary network interface (device index 0) is required.');
  if (new Set(indices).size < indices.length)
    throw invalidParameter('Each network interface requires its own device index.');
  return named;
}

function slot(world: World, specification: Params, drafts: readonly NetworkInterface[]): Slot {
  const deviceIndex = requiredInteger(specification, 'DeviceIndex');
  const given = text(specification, 'NetworkInterfaceId');
  if (given !== undefined) {
    const held = find(world, world.interfaces, idKinds.networkInterface, given);
    if (held.attachment !== undefined) throw inUse(held);
    return {
      deviceIndex,
      held,
      isNew: false,
      deleteOnTermination: flag(specification, 'DeleteOnTermination') ?? false,
    };
  }
  const subnetId = text(specification, 'SubnetId');
  if (subnetId === undefined) throw new AwsError('VPCIdNotSpecified', 'No default VPC for this user');
  const subnet = find(world, world.subnets, idKinds.subnet, subnetId);
  const held = draftInterface(world, subnet, specification, drafts);
  return { deviceIndex, held, isNew: true, deleteOnTermination: flag(specification, 'DeleteOnTermination') ?? true };
}

function slots(world: World, params: Params, count: number): readonly (readonly Slot[])[] {
  const wanted = specifications(params);
  const fixed = wanted.some((one) => ['NetworkInterfaceId', 'PrivateIpAddress'].some((name) => text(one, name)));
  if (count > 1 && fixed) {
    throw invalidCombination(
      'The parameter PrivateIpAddress or NetworkInterfaceId cannot be used for several instances',
    );
  }
  const drafts: NetworkInterface[] = [];
  return Array.from({ length: count }, () =>
    wanted.map((specification) => {
      const made = slot(world, specification, drafts);
      if (drafts.includes(made.held)) throw inUse(made.held);
      drafts.push(made.held);
      return made;
    }),
  );
}

export function runInstances(world: World, params: Params) {
  const repeated = earlierRun(world, params);
  if (repeated !== undefined) return reservationView(world, repeated);
  if (text(params, 'ImageId') === undefined && params['LaunchTemplate'] === undefined)
    throw missingParameter('ImageId');
  const least = requiredInteger(params, 'MinCount');
  const most = requiredInteger(params, 'MaxCount');
  if (least < 1 || most < least) throw invalidParameter(`Invalid value '${most}' for MaxCount.`);
  const perInstance = slots(world, params, most);
  const reservationId = world.ids.next('r');
  for (const [launchIndex, own] of perInstance.entries()) launch(world, params, reservationId, launchIndex, own);
  return reservationView(world, reservationId);
}

function launch(world: World, params: Params, reservationId: string, launchIndex: number, own: readonly Slot[]): void {
  const zones = new Set(own.map(({ held }) => held.zone));
  const [zone] = zones;
  if (zone === undefined || zones.size > 1) {
    throw invalidParameter('All network interfaces of an instance must be in one availability zone.');
  }
  const instance: Instance = {
    id: world.ids.next('i'),
    reservationId,
    clientToken: text(params, 'ClientToken') ?? '',
    imageId: text(params, 'ImageId') ?? '',
    instanceType: text(params, 'InstanceType') ?? 'm1.small',
    zone,
    launchIndex,
    launchTime: world.timestamp(),
    state: 'pending',
    forwarding: true,
    reason: '',
  };
  beforeWrite(world, instance.id);
  for (const { held, isNew, deviceIndex, deleteOnTermination } of own) {
    if (isNew) addInterface(world, held);
    else beforeWrite(world, held.id);
    held.attachment = newAttachment(world, instance.id, deviceIndex, deleteOnTermination);
    tagAtCreation(world, params, held.id);
  }
  world.instances.set(instance.id, instance);
  tagAtCreation(world, params, instance.id);
  enter(world, instance, 'pending');
}

/** A repeated client token gives the instances of the first call again. */
function earlierRun(world: World, params: Params): string | undefined {
  const token = text(params, 'ClientToken');
  if (token === undefined) return undefined;
  return [...world.instances.values()].find(({ clientToken }) => clientToken === token)?.reservationId;
}
