/** `--stack`: which deployment a live command talks to. */
import { type Command, Option } from 'commander';
import type { Console } from './console.ts';

export function addStackOption(command: Command, terminal: Console): Command {
  const option = new Option('--stack <name>', 'name of the CloudFormation stack (or LEASEWAY_STACK)').default(
    terminal.env['LEASEWAY_STACK'] || 'leaseway',
  );
  return command.addOption(option);
}
