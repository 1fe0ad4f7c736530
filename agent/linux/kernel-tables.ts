/** The three tables of a node's kernel. */
import {
  type FdbEntry,
  fdbKind,
  type KernelRoute,
  type Neighbour,
  neighbourKind,
  routeKindOn,
} from '../../shared/domain/kernel-rows.ts';
import { fdbCommand, neighbourCommand, routeCommand } from './commands.ts';
import { type KernelTable, kernelTable } from './kernel-table.ts';
import { readFdb, readNeighbours } from './read-overlay.ts';
import { readRoutes } from './read-routes.ts';
import type { Runner } from './runner.ts';

export interface KernelTables {
  readonly fdb: KernelTable<FdbEntry>;
  readonly neighbours: KernelTable<Neighbour>;
  readonly routes: KernelTable<KernelRoute>;
}

/** @param devices Names of our own devices that exist. */
export function kernelTables(runner: Runner, devices: ReadonlySet<string>): KernelTables {
  return {
    fdb: kernelTable(runner, {
      tool: 'bridge',
      kind: fdbKind,
      command: fdbCommand,
      read: () => readFdb(runner, devices),
    }),
    neighbours: kernelTable(runner, {
      tool: 'ip',
      kind: neighbourKind,
      command: neighbourCommand,
      read: () => readNeighbours(runner, devices),
    }),
    routes: kernelTable(runner, {
      tool: 'ip',
      kind: routeKindOn(devices),
      command: routeCommand,
      read: () => readRoutes(runner),
    }),
  };
}
