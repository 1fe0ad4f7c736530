/** `leaseway network`: the network's configuration. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Console, jsonText } from './console.ts';
import { exit } from './exit.ts';
import { type NetworkAnswer, utc } from './keeper-answers.ts';
import type { ChangeOptions } from './network-change.ts';
import { addStackOption } from './stack-option.ts';

export function addNetwork(program: Command, terminal: Console, end: (code: number) => void): void {
  const network = program
    .command('network')
    .summary('show, apply, retire')
    .description("The configuration of the deployed stack's network: net-conf.json, as flannel has it.")
    .addHelpText(
      'after',
      `
apply and retire show first what they change, and ask; off a terminal they need --yes.

Examples:
  leaseway network show
  leaseway network apply net-conf.json --dry-run
  leaseway network apply net-conf.json
  leaseway network retire --network 10.200.0.0/16 --subnet-len 24
  leaseway network retire --table rtb-0a1 --remove`,
    );
  const add = (text: string, description: string): Command =>
    addStackOption(network.command(text).description(description), terminal).option('--json', 'print as JSON');
  const addChange = (text: string, description: string): Command =>
    add(text, description)
      .option('--dry-run', 'show what would change, apply nothing; exit code 2 if there is something')
      .option('--yes', 'do not ask')
      .option('--force', 'also when held leases lose their place');

  add('show', 'Shows the configuration as it was applied.').action(async (options: { stack: string; json?: true }) => {
    const { stackNamed } = await import('./stack-functions.ts');
    const answer = await stackNamed(options.stack).call('keep-leases', { command: 'network-show' });
    terminal.print(options.json === true ? jsonText(answer) : networkText(answer as unknown as NetworkAnswer));
    end(exit.ok);
  });
  addChange('apply', 'Applies a configuration.')
    .argument('<file>', 'net-conf.json; - is standard input')
    .action(async (file: string, options: ChangeOptions) => {
      const { readText } = await import('./read-file.ts');
      const { changeNetwork } = await import('./network-change.ts');
      // As text: only that keeps a key visible that is given twice.
      const request = { command: 'network-apply', config: await readText(file, 'FILE', terminal) };
      end(await changeNetwork(request, options, terminal));
    });
  addChange('retire', 'Gives up a range, tables, or a range in some tables: their routes of ours are removed.')
    .option('--network <cidr>', 'the range')
    .option('--subnet-len <bits>', 'the prefix length of its subnets', parseLength)
    .option('--table <id...>', 'the tables')
    .option('--remove', 'take the entry out again, once what it names is empty')
    .action(
      async ({
        network,
        subnetLen,
        table,
        remove,
        ...options
      }: ChangeOptions & { network?: string; subnetLen?: number; table?: readonly string[]; remove?: true }) => {
        const { changeNetwork } = await import('./network-change.ts');
        const request = {
          command: 'network-retire',
          ...(network !== undefined && { network }),
          ...(subnetLen !== undefined && { subnetLen }),
          ...(table !== undefined && { routeTableIds: table }),
          ...(remove === true && { remove }),
        };
        end(await changeNetwork(request, options, terminal));
      },
    );
}

function networkText({ network, routeTableIds, stored, problem, subnets }: NetworkAnswer): string {
  if (stored === null) return `network ${network}: no configuration was applied yet: leaseway network apply FILE`;
  return [
    `network ${network}, revision ${stored.revision}, applied ${utc(stored.appliedAt)}`,
    `tables that may be written: ${routeTableIds.join(', ')}`,
    ...(subnets === null ? [] : [`subnets: ${subnets.held} held of ${subnets.room}`]),
    ...(problem === null ? [] : [`cannot be used: ${problem}`]),
    '',
    stored.text.trimEnd(),
  ].join('\n');
}

function parseLength(text: string): number {
  if (/^[0-9]{1,3}$/.test(text) && Number(text) <= 128) return Number(text);
  throw new InvalidArgumentError('a prefix length is a number from 0 to 128.');
}
