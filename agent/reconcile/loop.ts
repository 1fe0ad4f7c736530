/**
 * The node's loop: look, make it so, say what is. Woken by a map, by the kernel and by the clock; an event says "look
 * again" and never what to do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { noGuardState } from '../../shared/domain/node-guard.ts';
import type { AgentMap } from '../../shared/domain/read-map.ts';
import { type Doorbell, doorbell } from './doorbell.ts';
import type { NodeWorld } from './node-world.ts';
import { type PassResult, runPass } from './pass.ts';
import type { AgentLog, MapSource, StatusSink } from './ports.ts';
import { statusOf } from './status-of.ts';

/** A burst of changes (a link that flaps takes all its routes with it) is read once. */
const settleMilliseconds = 100;
/** At most two readings a second, however often the bell rings. */
const betweenMilliseconds = 500;

export interface LoopParts {
  readonly world: NodeWorld;
  readonly source: MapSource;
  readonly sink: StatusSink;
  /** Begins to ring at changes of the kernel; gives what ends that. */
  watchKernel(ring: () => void): { close(): void };
  /** Milliseconds between readings that nothing asked for. */
  readonly sweep: number;
}

/** Runs until the signal. Leaves everything as it is, so that traffic goes on. */
export async function runLoop(parts: LoopParts, signal: AbortSignal): Promise<void> {
  const { world, source, sink, sweep } = parts;
  const bell = doorbell();
  const ring = (): void => bell.ring();
  const latest = listen(source, bell);
  // A device that is made and taken back rings by itself: after such a pass only maps and the sweep wake.
  let deaf = false;
  const monitor = parts.watchKernel(() => {
    if (!deaf) ring();
  });
  signal.addEventListener('abort', ring);
  const problems = problemLog(world.log);
  let guard = noGuardState;
  let applied: AgentMap | null = null;
  let totals = { passes: 0, changes: 0 };
  try {
    while (!signal.aborted) {
      await bell.wait(sweep);
      await delay(settleMilliseconds);
      if (signal.aborted) break;
      const { map, unreadable } = latest();
      let result: PassResult | null = null;
      const trouble = unreadable === null ? [] : [unreadable];
      if (map !== null) {
        try {
          result = await runPass(world, { map, isNew: map !== applied, guard });
          if (result.own !== null) ({ guard, applied } = { guard: result.guard, applied: map });
        } catch (error) {
          // The kernel could not be read or written as a whole: nothing is concluded, and the next reading may tell more.
          trouble.push(String(error));
        }
      }
      deaf = result?.deviceTrouble === true;
      totals = { passes: totals.passes + 1, changes: totals.changes + (result?.changes ?? 0) };
      const status = statusOf(map, result, trouble, totals);
      const skipped = status.leases.filter(({ path }) => path === null).map(({ subnet, why }) => `${subnet}: ${why}`);
      problems([...status.problems, ...status.conflicts, ...skipped]);
      await publish(sink, status, world.log);
      await delay(betweenMilliseconds);
    }
  } finally {
    signal.removeEventListener('abort', ring);
    monitor.close();
    await source.close();
  }
}

interface Latest {
  readonly map: AgentMap | null;
  readonly unreadable: string | null;
}

function listen(source: MapSource, bell: Doorbell): () => Latest {
  let latest: Latest = { map: null, unreadable: null };
  source.start({
    map(map) {
      latest = { map, unreadable: null };
      bell.ring();
    },
    unreadable(problem) {
      // The last map stays.
      if (latest.unreadable !== problem) bell.ring();
      latest = { ...latest, unreadable: problem };
    },
  });
  return () => latest;
}

/** Each problem once when it comes and once when it is over. */
function problemLog(log: AgentLog): (problems: readonly string[]) => void {
  let before: ReadonlySet<string> = new Set();
  return (problems) => {
    const now = new Set(problems);
    for (const problem of now) if (!before.has(problem)) log.warn(problem);
    for (const problem of before) if (!now.has(problem)) log.info(`over: ${problem}`);
    before = now;
  };
}

async function publish(sink: StatusSink, status: Parameters<StatusSink['publish']>[0], log: AgentLog): Promise<void> {
  try {
    await sink.publish(status);
  } catch (error) {
    log.warn(`the status could not be published: ${String(error)}`);
  }
}
