/** `leaseway explain ADDRESS`: who holds an address, and where packets to it go. */
import type { Command } from 'commander';
import { type Console, jsonText } from './console.ts';
import { exit } from './exit.ts';
import { pictureFor } from './picture-for.ts';
import { addStackOption } from './stack-option.ts';

export function addExplain(program: Command, terminal: Console, end: (code: number) => void): void {
  const command = program
    .command('explain')
    .summary('who holds an address, and where packets to it go')
    .description(
      'Says which lease holds an address, on which node, in which tables it is routed, and why not in others. Of an address that no lease holds it says which row of each table takes it.',
    )
    .argument('<address>', 'an IPv4 or IPv6 address, or a subnet')
    .option('--world <file>', 'ask a world file instead of the deployed stack; - is standard input')
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      `
Words for an address that no lease holds: to delete, held, ours, foreign, blackhole, local, default, no route. The row is
the most specific that is visible; what is in a prefix list is not looked into.

Examples:
  leaseway explain 10.244.7.9
  leaseway explain fd00:244:0:7::9 --world world.json`,
    );
  addStackOption(command, terminal).action(
    async (address: string, options: { stack: string; world?: string; json?: true }) => {
      const { explain, explanationText, hostOf } = await import('./explanation.ts');
      const host = hostOf(address);
      const explanation = explain(address, host, await pictureFor(options, terminal, host));
      terminal.print(options.json === true ? jsonText(explanation) : explanationText(explanation));
      end(exit.ok);
    },
  );
}
