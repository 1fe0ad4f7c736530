/**
 * What a route looks like now: EC2 never removes a route whose target is gone, it only stops calling it active.
 *
 * Sources: the EC2 API reference on `Route.State`; AWSnycast#21 (a stopping instance still routes), kubernetes#33015
 * (a terminated one leaves its row). That `pending` counts as active is an assumption.
 */
import { sandboxAccount } from '../service.ts';
import type { NetworkInterface, RawRoute } from './records.ts';
import type { World } from './world.ts';

/** The route with its state, and with its instance as far as the target still has one. */
export function presentRoute(world: World, route: RawRoute): RawRoute {
  // A route server's rows are its own, and a filtered one carries nothing whatever its target does.
  if (route['Origin'] === 'Advertisement') return { State: 'active', ...route };
  const { NetworkInterfaceId: interfaceId, InstanceId: instanceId } = route;
  if (interfaceId !== undefined) {
    const target = world.interfaces.get(interfaceId);
    if (target !== undefined) return throughInterface(world, route, target);
    if (world.goneInterfaces.has(interfaceId)) return darkened(route);
  }
  const instance = instanceId === undefined ? undefined : world.instances.get(instanceId);
  if (instance === undefined) return { State: 'active', ...route };
  // The instance is known and its interface is not: only a seed can say so. Its own words stand, but for the state.
  return { ...route, State: instance.forwarding ? (route['State'] ?? 'active') : 'blackhole' };
}

function throughInterface(world: World, route: RawRoute, target: NetworkInterface): RawRoute {
  const instance = target.attachment && world.instances.get(target.attachment.instanceId);
  if (instance === undefined) return darkened(route);
  return {
    ...withoutInstance(route),
    InstanceId: instance.id,
    InstanceOwnerId: sandboxAccount,
    State: instance.forwarding ? 'active' : 'blackhole',
  };
}

const darkened = (route: RawRoute): RawRoute => ({ ...withoutInstance(route), State: 'blackhole' });

function withoutInstance(route: RawRoute): RawRoute {
  const { InstanceId: _instance, InstanceOwnerId: _owner, ...rest } = route;
  return rest;
}
