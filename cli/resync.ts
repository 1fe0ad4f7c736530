/** `leaseway resync`: make every listed table right, now. */
import type { Command } from 'commander';
import type { Console } from './console.ts';
import type { ResyncOptions } from './resync-live.ts';
import { addStackOption } from './stack-option.ts';

export function addResync(program: Command, terminal: Console, end: (code: number) => void): void {
  const command = program
    .command('resync')
    .summary('make every listed table right, now')
    .description('Runs a sync of the deployed stack to its end and reports what was done, table by table.')
    .option('--dry-run', 'plan and report, write nothing')
    .option('--force <digest>', 'let the deletions through that were shown with this digest')
    .option('--table <id...>', 'write these tables only; all are read')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
A digest lets through exactly what was shown with it. One that fits nothing that is held back lets nothing through, and
the report says so.

Exit code: 1 error or a failed table, 3 refused by the guard, 2 dry run with changes pending, 0 done.

Examples:
  leaseway resync --dry-run                   what would be written
  leaseway resync                             write it
  leaseway resync --table rtb-0a1 rtb-0b2     in these tables only
  leaseway resync --force 8f3a61c22d90e471    with the deletions that the guard held back`,
    );
  addStackOption(command, terminal).action(async (options: ResyncOptions) => {
    const { resyncLive } = await import('./resync-live.ts');
    end(await resyncLive(options, terminal));
  });
}
