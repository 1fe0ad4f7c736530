/** Remembers what a resource looked like before a write, for reads that are late (`lag.ts`). */

import { instanceView, interfaceView } from './instance-views.ts';
import type { View } from './lag.ts';
import { routeTableView } from './network-views.ts';
import type { World } from './world.ts';

/** To be called before each write to a route table, interface or instance, also before the one that makes it. */
export function beforeWrite(world: World, id: string): void {
  world.previous.set(id, viewOf(world, id));
}

function viewOf(world: World, id: string): View | undefined {
  const table = world.routeTables.get(id);
  if (table !== undefined) return routeTableView(world, table);
  const held = world.interfaces.get(id);
  if (held !== undefined) return interfaceView(world, held);
  const instance = world.instances.get(id);
  return instance === undefined ? undefined : instanceView(world, instance);
}
