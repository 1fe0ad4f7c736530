/** Single attributes of interfaces: above all the source/destination check, which must be off on a node that forwards. */
import { invalidParameter, missingParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { find, idKinds } from './ids.ts';
import { interfaceView } from './instance-views.ts';
import { networkInterface } from './interfaces.ts';
import { flag, type Params, requiredText, structure, text } from './params.ts';
import { onlyInterface } from './route-target.ts';
import type { World } from './world.ts';

export function modifyNetworkInterfaceAttribute(world: World, params: Params) {
  const held = networkInterface(world, params);
  const check = structure(params, 'SourceDestCheck');
  const description = structure(params, 'Description');
  const attachment = structure(params, 'Attachment');
  const sourceDestCheck = check && flag(check, 'Value');
  const deleteOnTermination = attachment && flag(attachment, 'DeleteOnTermination');
  if (attachment !== undefined && held.attachment?.id !== requiredText(attachment, 'AttachmentId')) {
    throw invalidParameter(`Network interface '${held.id}' does not have the attachment named`);
  }
  beforeWrite(world, held.id);
  if (sourceDestCheck !== undefined) held.sourceDestCheck = sourceDestCheck;
  if (description !== undefined) held.description = text(description, 'Value') ?? '';
  if (held.attachment !== undefined && deleteOnTermination !== undefined) {
    held.attachment.deleteOnTermination = deleteOnTermination;
  }
  return {};
}

export function describeNetworkInterfaceAttribute(world: World, params: Params) {
  const held = networkInterface(world, params);
  const attribute = requiredText(params, 'Attribute');
  const view = interfaceView(world, held);
  const answers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    sourceDestCheck: { SourceDestCheck: { Value: held.sourceDestCheck } },
    description: { Description: { Value: held.description } },
    groupSet: { Groups: view['Groups'] },
    attachment: { Attachment: view['Attachment'] },
  };
  const answer = Object.hasOwn(answers, attribute) ? answers[attribute] : undefined;
  if (answer === undefined) throw invalidParameter(`Invalid value '${attribute}' for attribute.`);
  return { NetworkInterfaceId: held.id, ...answer };
}

/** By instance the check can be set only while the instance has one interface. */
export function modifyInstanceAttribute(world: World, params: Params) {
  const instance = find(world, world.instances, idKinds.instance, requiredText(params, 'InstanceId'));
  // The AWS CLI spells it `SourceDestCheck.Value`; the older form is Attribute=sourceDestCheck with a Value.
  const check =
    structure(params, 'SourceDestCheck') ?? (params['Attribute'] === 'sourceDestCheck' ? params : undefined);
  const value = check && flag(check, 'Value');
  if (value === undefined) throw missingParameter('sourceDestCheck');
  const held = onlyInterface(world, instance.id);
  beforeWrite(world, held.id);
  beforeWrite(world, instance.id);
  held.sourceDestCheck = value;
  return {};
}
