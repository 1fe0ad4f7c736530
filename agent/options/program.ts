/** The agent's commands. */
import { Command, CommanderError } from 'commander';
import { runCommand } from './run-command.ts';
import { addRunOptions, runOptions } from './run-options.ts';

export interface AgentTerminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
  note(line: string): void;
}

/** Gives the exit code. */
export async function runAgent(args: readonly string[], terminal: AgentTerminal): Promise<number> {
  let code = 0;
  const program = new Command('leaseway agent')
    .description('Makes every lease of the network reachable from this node.')
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .exitOverride();
  addRunOptions(program.command('run').description('program this node and keep it so')).action(async (_, command) => {
    code = await runCommand(runOptions(command as Command), terminal);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
}
