/** `leaseway demo`: see it work, without AWS. */
import { type Command, Option } from 'commander';
import type { Console } from './console.ts';
import { type Sabotage, sabotages } from './demo/sabotage.ts';

export function addDemo(program: Command, terminal: Console, end: (code: number) => void): void {
  program
    .command('demo')
    .summary('see it work on the embedded AWS')
    .description(
      'Plays a day of a small cluster on an embedded AWS with the real functions, shows the route tables, and checks every claim it makes.',
    )
    .addOption(new Option('--sabotage <fault>', 'plant a fault that the checks must find').choices(sabotages))
    .addHelpText(
      'after',
      `
Exit code: 0 every check held, 1 one did not.

Examples:
  leaseway demo
  leaseway demo --sabotage delete     EC2 says that it deletes, and does not`,
    )
    .action(async (options: { sabotage?: Sabotage }) => {
      const { runDemo } = await import('./demo/run-demo.ts');
      end(await runDemo(options.sabotage, terminal));
    });
}
