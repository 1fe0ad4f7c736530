/** The picture of a world file. */
import type { Cidr } from '../shared/domain/cidr.ts';
import type { Lease } from '../shared/domain/lease.ts';
import { matchesOf } from '../shared/domain/matching-row.ts';
import { keyedLeases } from '../shared/domain/render-lease-status.ts';
import { planJson } from '../shared/domain/render-plan.ts';
import { parseWorld } from '../shared/domain/world.ts';
import { planWorld } from '../shared/domain/world-plan.ts';
import type { Console } from './console.ts';
import type { Picture } from './picture.ts';
import { readJson } from './read-file.ts';

export async function pictureOfFile(file: string, terminal: Console, host: Cidr | null): Promise<Picture> {
  const world = parseWorld(await readJson(file, '--world', 'world', terminal));
  const plan = planWorld(world);
  const overflow = plan.tables.map(({ id, overflow: routes }): [string, Set<string>] => [
    id,
    new Set(routes.map((route) => route.destinationText)),
  ]);
  return {
    config: world.config,
    plan: planJson(plan, world.leases, world.config),
    leases: new Map<string, Lease>(keyedLeases(plan, world.leases)),
    overflow: new Map(overflow),
    matches: host === null ? {} : matchesOf(host, world.tables, world.config),
    remarks: [],
  };
}
