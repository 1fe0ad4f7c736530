/** `leaseway status`: which lease is routed in which table. */
import type { Command } from 'commander';
import { type Console, jsonText } from './console.ts';
import { pictureFor } from './picture-for.ts';
import { addStackOption } from './stack-option.ts';

export function addStatus(program: Command, terminal: Console, end: (code: number) => void): void {
  const command = program
    .command('status')
    .summary('which lease is routed in which table, and whether all is well')
    .description(
      'Shows every lease with its node, its status, and what each route table does for it; then what is not as it should be.',
    )
    .option('--world <file>', 'of a world file instead of the deployed stack; - is standard input')
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      `
Words in the table columns: routed, shadow (routed, and a row that is not ours takes part of it), missing, changed,
blackhole, conflict, no room, held, to delete, unknown, and - for leases that ask for no route.

Exit code: 1 error or a listed table missing, 3 refused by the guard, 2 something is not as it should be (changes
pending, a conflict, a shadow, no room, a stale or rejected lease, a table that fails), 0 all well.

Examples:
  leaseway status
  leaseway status --world world.json --json`,
    );
  addStackOption(command, terminal).action(async (options: { stack: string; world?: string; json?: true }) => {
    const { statusRows, statusText } = await import('./status-text.ts');
    const { problemsOf, statusExit } = await import('./status-problems.ts');
    const picture = await pictureFor(options, terminal);
    const json = () => jsonText({ leases: statusRows(picture), problems: problemsOf(picture) });
    terminal.print(options.json === true ? json() : statusText(picture));
    end(statusExit(picture));
  });
}
