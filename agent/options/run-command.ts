/** `leaseway agent run`. */
import { systemRunner } from '../linux/runner.ts';
import { systemSysctls } from '../linux/sysctl.ts';
import { settingsRecord } from '../linux/sysctl-record.ts';
import { mapFileOnce } from '../reconcile/map-file.ts';
import { runOnce } from '../reconcile/once.ts';
import type { NodeWorld } from '../reconcile/pass.ts';
import { statusFile } from '../reconcile/status-file.ts';
import type { AgentTerminal } from './program.ts';
import type { RunOptions } from './run-options.ts';

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
  return runOnce(world, mapFileOnce(options.map ?? ''), statusFile(stateDir));
}
