/** `leaseway agent run`. */

import { startMonitor } from '../linux/monitor.ts';
import { systemRunner } from '../linux/runner.ts';
import { systemSysctls } from '../linux/sysctl.ts';
import { settingsRecord } from '../linux/sysctl-record.ts';
import { toolProblem } from '../linux/versions.ts';
import { runLoop } from '../reconcile/loop.ts';
import { mapFile } from '../reconcile/map-file.ts';
import { onceExit, runOnce } from '../reconcile/once.ts';
import type { NodeWorld } from '../reconcile/pass.ts';
import { printPlan } from '../reconcile/print-plan.ts';
import { statusFile } from '../reconcile/status-file.ts';
import type { RunOptions } from './run-options.ts';
import type { AgentTerminal } from './terminal.ts';

export async function runCommand(options: RunOptions, terminal: AgentTerminal): Promise<number> {
  const sysctls = systemSysctls();
  const { stateDir } = options.node;
  const world: NodeWorld = {
    runner: systemRunner(terminal.env),
    sysctls,
    record: settingsRecord(stateDir, sysctls),
    options: { ...options.node, instanceId: options.instance ?? '' },
    log: {
      info: (message) => terminal.note(`leaseway agent: ${message}`),
      warn: (message) => terminal.note(`leaseway agent: ${message}`),
    },
    now: () => Date.now(),
  };
  const problem = await toolProblem(world.runner);
  if (problem !== null) {
    world.log.warn(problem);
    return onceExit.none;
  }
  const source = mapFile(options.map ?? '');
  const sink = statusFile(stateDir);
  if (options.plan) return printPlan(world, source, terminal.print);
  if (options.once) return runOnce(world, source, sink);
  await runLoop(
    {
      world,
      source,
      sink,
      watchKernel: (ring) => startMonitor(terminal.env, ring, world.log.warn),
      sweep: options.sweep,
    },
    terminal.signal,
  );
  return 0;
}
