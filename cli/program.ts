/** The commands and how they end. What a command needs is loaded when it runs: a plan from a file loads no SDK. */
import { Command, CommanderError } from 'commander';
import { InvalidInput } from '../shared/domain/invalid-input.ts';
import { addAgent } from './agent.ts';
import type { Console } from './console.ts';
import { addDemo } from './demo.ts';
import { exit, UserError } from './exit.ts';
import { addExplain } from './explain.ts';
import { addLeases } from './leases.ts';
import { addNetwork } from './network.ts';
import { addPlan } from './plan.ts';
import { addResync } from './resync.ts';
import { addSandbox } from './sandbox.ts';
import { addStatus } from './status.ts';
import { version } from './version.ts';

/** Gives the exit code; throws nothing that a user can cause. */
export async function runCli(args: readonly string[], terminal: Console): Promise<number> {
  let code: number = exit.ok;
  const program = programOf(terminal, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has said what is wrong with the arguments, or has printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.error;
    if (error instanceof InvalidInput || error instanceof UserError) {
      terminal.note(`leaseway: ${error.message}`);
      return exit.error;
    }
    throw error;
  }
}

function programOf(terminal: Console, end: (code: number) => void): Command {
  const program = new Command('leaseway')
    .description('Container subnets on EC2, routed natively, with no controller to run.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(`leaseway: ${oneLine(text)}`),
    })
    .exitOverride()
    .showSuggestionAfterError();
  addPlan(program, terminal, end);
  addResync(program, terminal, end);
  addStatus(program, terminal, end);
  addExplain(program, terminal, end);
  addLeases(program, terminal, end);
  addNetwork(program, terminal, end);
  addSandbox(program, terminal, end);
  addDemo(program, terminal, end);
  addAgent(program, end);
  return program;
}

/** `error: unknown option '--josn'\n(Did you mean --json?)` as one line. */
function oneLine(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
