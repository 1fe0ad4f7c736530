/** `--plan`: the commands that a pass would run, and nothing is run. */
import type { KernelRoute } from '../../shared/domain/kernel-rows.ts';
import { noGuardState } from '../../shared/domain/node-guard.ts';
import type { DeviceSpec } from '../../shared/domain/node-rows.ts';
import type { Step } from '../../shared/domain/plan.ts';
import { fdbCommand, neighbourCommand, routeCommand } from '../linux/commands.ts';
import { deviceChange } from '../linux/device-commands.ts';
import { isOurDevice, ourDevices } from '../linux/devices.ts';
import { kernelTables } from '../linux/kernel-tables.ts';
import type { Link } from '../linux/read-links.ts';
import { type ActualRows, deletes, planTables, puts, readTables, routePuts, type TablePlans } from './apply-rows.ts';
import { decide } from './decide.ts';
import type { NodeWorld } from './node-world.ts';
import { firstMap, onceExit } from './once.ts';
import type { MapSource } from './ports.ts';

export async function printPlan(world: NodeWorld, source: MapSource, print: (line: string) => void): Promise<number> {
  const map = await firstMap(source);
  await source.close();
  const decision = typeof map === 'string' ? map : await decide(world, { map, isNew: true, guard: noGuardState });
  if (typeof decision === 'string') {
    world.log.warn(decision);
    return onceExit.none;
  }
  const { links, wanted } = decision;
  for (const problem of wanted.problems) world.log.warn(problem);
  const tables = kernelTables(world.runner, ourDevices(links));
  const actual = await readTables(tables);
  const devices = wanted.devices.flatMap((spec) => changeOf(spec, links));
  const lost = new Set(devices.flatMap(({ name, action }) => (action === 'recreate' ? [name] : [])));
  const lines = [
    ...devices.flatMap(({ commands }) => commands.map((command) => command.join(' '))),
    ...tableLines(planTables(wanted, without(lost, actual), tables)),
  ];
  for (const line of lines) print(line);
  return onceExit.all;
}

function changeOf(spec: DeviceSpec, links: readonly Link[]) {
  const link = links.find(({ name }) => name === spec.name) ?? null;
  if (link !== null && !isOurDevice(link)) return [];
  const change = deviceChange(spec, link);
  return change === null ? [] : [{ name: spec.name, ...change }];
}

/** In the order in which they are carried out. */
function tableLines({ fdb, neighbours, routes }: TablePlans): readonly string[] {
  const ip = (command: readonly string[]): string => ['ip', ...command].join(' ');
  const bridge = (command: readonly string[]): string => ['bridge', ...command].join(' ');
  const route = (step: Step<KernelRoute>): string => ip(routeCommand(step));
  return [
    ...puts(fdb).map((step) => bridge(fdbCommand(step))),
    ...puts(neighbours).map((step) => ip(neighbourCommand(step))),
    ...routePuts(routes).map(route),
    ...deletes(routes).map(route),
    ...deletes(neighbours).map((step) => ip(neighbourCommand(step))),
    ...deletes(fdb).map((step) => bridge(fdbCommand(step))),
  ];
}

/** A device that is made anew loses everything on it. */
function without(devices: ReadonlySet<string>, { fdb, neighbours, routes }: ActualRows): ActualRows {
  return {
    fdb: fdb.filter(({ dev }) => !devices.has(dev)),
    neighbours: neighbours.filter(({ dev }) => !devices.has(dev)),
    routes: routes.filter(({ dev }) => dev === null || !devices.has(dev)),
  };
}
