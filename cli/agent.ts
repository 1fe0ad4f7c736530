/** `leaseway agent`: hands over to the agent, a program of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { exit, UserError } from './exit.ts';

export function addAgent(program: Command, end: (code: number) => void): void {
  program
    .command('agent')
    .summary("the node's agent: run, status, cleanup")
    .description("Runs the node's agent, or asks or cleans up after a running one. Everything after agent is its own.")
    .helpOption(false)
    .allowUnknownOption()
    .argument('[args...]')
    .action(async (args: readonly string[]) => end(await runAgent(args)));
}

/** Signals reach both: they share the terminal's process group, and what is sent to this one is passed on. */
async function runAgent(args: readonly string[]): Promise<number> {
  const main = fileURLToPath(new URL('../agent/main.ts', import.meta.url));
  if (!existsSync(main)) throw new UserError('agent: this build has no agent');
  const agent = spawn(process.execPath, [main, ...args], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => void agent.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  const [code] = (await once(agent, 'close')) as [number | null];
  return code ?? exit.error;
}
