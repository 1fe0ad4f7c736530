/** `leaseway status`: which lease is routed in which table. */
import type { Command } from 'commander';
import { type Console, jsonText } from './console.ts';
import { exit } from './exit.ts';
import { pictureFor } from './picture-for.ts';
import { addStackOption } from './stack-option.ts';

export function addStatus(program: Command, terminal: Console, end: (code: number) => void): void {
  const command = program
    .command('status')
    .summary('which lease is routed in which table')
    .description('Shows every lease with its node, its status, and what each route table does for it.')
    .option('--world <file>', 'of a world file instead of the deployed stack; - is standard input')
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      `
Words in the table columns: routed, missing, changed, blackhole, conflict, no room, held, to delete, unknown, and - for
leases that ask for no route.

Examples:
  leaseway status
  leaseway status --world world.json --json`,
    );
  addStackOption(command, terminal).action(async (options: { stack: string; world?: string; json?: true }) => {
    const { statusRows, statusText } = await import('./status-text.ts');
    const picture = await pictureFor(options, terminal);
    terminal.print(options.json === true ? jsonText({ leases: statusRows(picture) }) : statusText(picture));
    end(exit.ok);
  });
}
