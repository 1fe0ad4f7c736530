/** Tags as every Describe prints them. */
import type { World } from './world.ts';

export const tagViews = (world: World, id: string) =>
  [...(world.tags.get(id) ?? [])].map(([Key, Value]) => ({ Key, Value }));
