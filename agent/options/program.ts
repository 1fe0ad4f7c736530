/** The agent's commands. */
import { Command, CommanderError } from 'commander';
import { InvalidInput } from '../../shared/domain/invalid-input.ts';
import { CommandFailed } from '../linux/runner.ts';
import { addClaimOptions, claimOptions } from './claim-options.ts';
import { cleanupCommand } from './cleanup-command.ts';
import { runCommand } from './run-command.ts';
import { addRunOptions, defaultStateDir, runOptions } from './run-options.ts';
import { StartFailed } from './start-failed.ts';
import { statusCommand } from './status-command.ts';
import type { AgentTerminal } from './terminal.ts';

/** `error: unknown option '--onec'\n(Did you mean --once?)` as one line. */
function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}

/** Gives the exit code. */
export async function runAgent(args: readonly string[], terminal: AgentTerminal): Promise<number> {
  let code = 0;
  const program = new Command('leaseway agent')
    .description('Makes every lease of the network reachable from this node.')
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(`leaseway agent: ${oneLine(text)}`),
    })
    .exitOverride();
  const run = addClaimOptions(addRunOptions(program.command('run').description('program this node and keep it so')));
  run.action(async () => {
    code = await runCommand(runOptions(run), claimOptions(run, terminal.env), terminal);
  });
  program
    .command('status')
    .description('each peer, its path and why')
    .option('--json', 'as JSON', false)
    .option('--state-dir <folder>', "the agent's state folder", defaultStateDir)
    .action(async (options: { json: boolean; stateDir: string }) => {
      code = await statusCommand(options.stateDir, options.json, terminal);
    });
  program
    .command('cleanup')
    .description('remove all that the agent made, and nothing else')
    .option('--state-dir <folder>', "the agent's state folder", defaultStateDir)
    .action(async (options: { stateDir: string }) => {
      code = await cleanupCommand(options.stateDir, terminal);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    const isExplained = [InvalidInput, StartFailed, CommandFailed].some((known) => error instanceof known);
    if (!(isExplained && error instanceof Error)) throw error;
    terminal.note(`leaseway agent: ${error.message}`);
    return 1;
  }
}
