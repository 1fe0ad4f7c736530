/** `leaseway plan`: what would be changed, from a file or of the deployed stack. */
import type { Command } from 'commander';
import type { Console } from './console.ts';
import { addStackOption } from './stack-option.ts';

export function addPlan(program: Command, terminal: Console, end: (code: number) => void): void {
  const command = program
    .command('plan')
    .summary('show what a sync would change')
    .description('Shows what a sync would change in each route table, and why. Changes nothing.')
    .option('--world <file>', 'plan from a world file instead of the deployed stack; - is standard input')
    .option('--json', 'print the plan as JSON')
    .addHelpText(
      'after',
      `
Exit code: 1 error or a listed table missing, 3 refused by the guard, 2 changes pending, 0 nothing to do.

Examples:
  leaseway plan                          of the deployed stack
  leaseway plan --world world.json       from a file, without AWS
  leaseway plan --world - --json < w.json`,
    );
  addStackOption(command, terminal).action(async (options: { world?: string; json?: true; stack: string }) => {
    const json = options.json === true;
    if (options.world !== undefined) {
      const { planFromFile } = await import('./plan-world.ts');
      end(await planFromFile(options.world, json, terminal));
    } else {
      const { planLive } = await import('./plan-live.ts');
      end(await planLive({ stack: options.stack, json }, terminal));
    }
  });
}
