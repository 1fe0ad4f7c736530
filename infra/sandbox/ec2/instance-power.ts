/** StartInstances, StopInstances, TerminateInstances: all ids are checked before the first one is touched. */
import { AwsError } from '../service.ts';
import { missingParameter } from './errors.ts';
import { find, idKinds } from './ids.ts';
import { enter } from './instance-lifecycle.ts';
import { stateView } from './instance-views.ts';
import { list, type Params } from './params.ts';
import type { Instance, InstanceState } from './records.ts';
import type { World } from './world.ts';

function instances(world: World, params: Params): readonly Instance[] {
  const ids = list(params, 'InstanceId');
  if (ids.length === 0) throw missingParameter('InstanceId');
  return ids.map((id) => find(world, world.instances, idKinds.instance, id));
}

function changed(instance: Instance, change: () => void) {
  const before = instance.state;
  change();
  return {
    InstanceId: instance.id,
    CurrentState: stateView(instance.state),
    PreviousState: stateView(before),
  };
}

function refuseUnless(instance: Instance, allowed: readonly InstanceState[], verb: string): void {
  if (allowed.includes(instance.state)) return;
  throw new AwsError(
    'IncorrectInstanceState',
    `The instance '${instance.id}' is not in a state from which it can be ${verb}.`,
  );
}

export function startInstances(world: World, params: Params) {
  const named = instances(world, params);
  for (const one of named) refuseUnless(one, ['stopped', 'pending', 'running'], 'started');
  const StartingInstances = named.map((one) =>
    changed(one, () => {
      if (one.state !== 'stopped') return;
      one.launchTime = world.timestamp();
      one.reason = '';
      enter(world, one, 'pending');
    }),
  );
  return { StartingInstances };
}

export function stopInstances(world: World, params: Params) {
  const named = instances(world, params);
  for (const one of named) refuseUnless(one, ['running', 'stopping', 'stopped'], 'stopped');
  const StoppingInstances = named.map((one) =>
    changed(one, () => {
      if (one.state !== 'running') return;
      one.reason = userInitiated(world);
      enter(world, one, 'stopping');
    }),
  );
  return { StoppingInstances };
}

export function terminateInstances(world: World, params: Params) {
  const TerminatingInstances = instances(world, params).map((one) =>
    changed(one, () => {
      if (one.state === 'shutting-down' || one.state === 'terminated') return;
      one.reason = userInitiated(world);
      enter(world, one, 'shutting-down');
    }),
  );
  return { TerminatingInstances };
}

const userInitiated = (world: World) => `User initiated (${world.timestamp().slice(0, 19).replace('T', ' ')} GMT)`;
