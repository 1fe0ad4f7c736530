/**
 * pending -> running, stopping -> stopped, shutting-down -> terminated: each step on its own, each with its event.
 *
 * Source: the EC2 user guide on the instance life cycle and on its state-change events.
 */
import { sandboxAccount, sandboxRegion } from '../service.ts';
import { detach } from './attachments.ts';
import { beforeWrite } from './history.ts';
import { removeInterface } from './interface-drafts.ts';
import type { Instance, InstanceState } from './records.ts';
import type { World } from './world.ts';

const follows: Partial<Record<InstanceState, InstanceState>> = {
  pending: 'running',
  stopping: 'stopped',
  'shutting-down': 'terminated',
};

/** How long DescribeInstances still lists a terminated instance: "usually less than an hour". */
const rememberedMs = 3600 * 1000;

const instanceArn = (id: string) => `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/${id}`;

/** Brings an instance into a state, says so on the event bus, and lets the state that follows come by itself. */
export function enter(world: World, instance: Instance, state: InstanceState): void {
  // A launch enters its first state by having been written already; before it there was nothing.
  if (instance.state !== state) {
    for (const { id } of [instance, ...world.interfacesOf(instance.id)]) beforeWrite(world, id);
  }
  clearTimeout(world.timers.get(instance.id));
  world.timers.delete(instance.id);
  instance.state = state;
  if (state === 'pending' || state === 'running') instance.forwarding = true;
  if (state === 'stopped' || state === 'terminated') instance.forwarding = false;
  if (state === 'terminated') release(world, instance);
  world.emit({
    source: 'aws.ec2',
    detailType: 'EC2 Instance State-change Notification',
    time: world.clock.now(),
    resources: [instanceArn(instance.id)],
    detail: { 'instance-id': instance.id, state },
  });
  const next = follows[state];
  if (next === undefined) return;
  const timer = setTimeout(() => enter(world, instance, next), world.transitionMs);
  // A transition under way must not hold a process that has nothing else to do.
  timer.unref();
  world.timers.set(instance.id, timer);
}

function release(world: World, instance: Instance): void {
  instance.terminatedAt = world.clock.now();
  for (const held of world.interfacesOf(instance.id)) {
    if (held.attachment?.deleteOnTermination === true) removeInterface(world, held);
    else detach(world, held);
  }
}

/** Drops an instance as if EC2 had never heard of it; its own interfaces go with it. */
export function forget(world: World, id: string): void {
  clearTimeout(world.timers.get(id));
  world.timers.delete(id);
  for (const held of world.interfacesOf(id)) removeInterface(world, held);
  world.instances.delete(id);
  world.tags.delete(id);
  world.previous.delete(id);
}

export function forgetLongTerminated(world: World): void {
  for (const { id, terminatedAt } of [...world.instances.values()]) {
    if (terminatedAt !== undefined && world.clock.now() - terminatedAt >= rememberedMs) forget(world, id);
  }
}
