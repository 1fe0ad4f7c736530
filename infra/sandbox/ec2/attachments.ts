/** Attaching and detaching secondary interfaces; the primary one stays with its instance for life. */
import { AwsError } from '../service.ts';
import { invalidCombination, invalidParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds, unknownId } from './ids.ts';
import { inUse } from './interface-drafts.ts';
import { networkInterface } from './interfaces.ts';
import { type Params, requiredInteger, requiredText } from './params.ts';
import type { Attachment, NetworkInterface } from './records.ts';
import type { World } from './world.ts';

export function newAttachment(
  world: World,
  instanceId: string,
  deviceIndex: number,
  deleteOnTermination: boolean,
): Attachment {
  return {
    id: world.ids.next('eni-attach'),
    instanceId,
    deviceIndex,
    deleteOnTermination,
    attachTime: world.timestamp(),
  };
}

export function attachNetworkInterface(world: World, params: Params) {
  const held = networkInterface(world, params);
  const instance = find(world, world.instances, idKinds.instance, requiredText(params, 'InstanceId'));
  const deviceIndex = requiredInteger(params, 'DeviceIndex');
  if (held.attachment !== undefined) throw inUse(held);
  if (instance.state !== 'running' && instance.state !== 'stopped') {
    throw new AwsError('IncorrectState', `Instance '${instance.id}' is not 'running' or 'stopped'.`);
  }
  if (held.zone !== instance.zone) {
    throw invalidCombination(
      'You may not attach a network interface to an instance if they are not in the same availability zone',
    );
  }
  if (world.interfacesOf(instance.id).some(({ attachment }) => attachment?.deviceIndex === deviceIndex)) {
    throw invalidParameter(
      `Instance '${instance.id}' already has an interface attached at device index '${deviceIndex}'.`,
    );
  }
  beforeWrite(world, held.id);
  beforeWrite(world, instance.id);
  const attachment = newAttachment(world, instance.id, deviceIndex, false);
  held.attachment = attachment;
  return { AttachmentId: attachment.id, NetworkCardIndex: 0 };
}

export function detachNetworkInterface(world: World, params: Params) {
  const attachmentId = requiredText(params, 'AttachmentId');
  const held = [...world.interfaces.values()].find(({ attachment }) => attachment?.id === attachmentId);
  if (held?.attachment === undefined) throw unknownId(world, idKinds.attachment, attachmentId);
  if (held.attachment.deviceIndex === 0) {
    throw new AwsError(
      'OperationNotPermitted',
      'The network interface at device index 0 and networkCard index 0 cannot be detached.',
    );
  }
  detach(world, held);
  return {};
}

export function detach(world: World, held: NetworkInterface): void {
  beforeWrite(world, held.id);
  if (held.attachment !== undefined) beforeWrite(world, held.attachment.instanceId);
  held.attachment = undefined;
}
