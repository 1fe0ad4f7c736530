/** `--once`: one pass with the first map, and how it ended as an exit code. */
import { noGuardState } from '../../shared/domain/node-guard.ts';
import type { AgentMap } from '../../shared/domain/read-map.ts';
import { CommandFailed } from '../linux/runner.ts';
import type { NodeWorld } from './node-world.ts';
import { type PassResult, runPass } from './pass.ts';
import type { MapSource, StatusSink } from './ports.ts';
import { statusOf } from './status-of.ts';

export const onceExit = { all: 0, none: 1, some: 2 } as const;

/** The first word of the source, good or bad. */
export function firstMap(source: MapSource): Promise<AgentMap | string> {
  return new Promise((resolve) => source.start({ map: resolve, unreadable: resolve }));
}

export async function runOnce(world: NodeWorld, source: MapSource, sink: StatusSink): Promise<number> {
  const map = await firstMap(source);
  await source.close();
  if (typeof map === 'string') {
    world.log.warn(map);
    return onceExit.none;
  }
  let result: PassResult;
  try {
    result = await runPass(world, { map, isNew: true, guard: noGuardState });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    world.log.warn(error.message);
    return onceExit.none;
  }
  const status = statusOf(map, result, [], { passes: 1, changes: result.changes });
  for (const problem of [...status.problems, ...status.conflicts]) world.log.warn(problem);
  for (const { subnet, path, why } of result.peers) if (path === null) world.log.warn(`${subnet}: ${why}`);
  await sink.publish(status);
  return exitCodeOf(result);
}

function exitCodeOf({ own, ready, peers, failedRows, untouched }: PassResult): number {
  if (own === null) return onceExit.none;
  if (!ready && peers.every(({ path }) => path === null)) return onceExit.none;
  const isWhole = ready && failedRows === 0 && untouched.length === 0;
  return isWhole && peers.every(({ path }) => path !== null) ? onceExit.all : onceExit.some;
}
