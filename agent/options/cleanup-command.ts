/** `leaseway agent cleanup`. */
import { systemRunner } from '../linux/runner.ts';
import { systemSysctls } from '../linux/sysctl.ts';
import { settingsRecord } from '../linux/sysctl-record.ts';
import { cleanup } from '../reconcile/cleanup.ts';
import { NoAgent, readStatus } from '../serve/read-status.ts';
import type { AgentTerminal } from './terminal.ts';

export async function cleanupCommand(stateDir: string, terminal: AgentTerminal): Promise<number> {
  if (await isRunning(stateDir)) {
    terminal.note(`leaseway agent: an agent runs with ${stateDir} and would make everything again: stop it first`);
    return 1;
  }
  const { done, problems } = await cleanup(
    systemRunner(terminal.env),
    settingsRecord(stateDir, systemSysctls()),
    stateDir,
  );
  for (const thing of done) terminal.print(`removed: ${thing}`);
  for (const problem of problems) terminal.note(`leaseway agent: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

async function isRunning(stateDir: string): Promise<boolean> {
  try {
    await readStatus(stateDir);
    return true;
  } catch (error) {
    return !(error instanceof NoAgent);
  }
}
