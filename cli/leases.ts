/** `leaseway leases`: look at leases, hand them back, reserve subnets, set the address that peers are told. */
import { type Command, Option } from 'commander';
import { leaseStates } from '../shared/domain/lease.ts';
import { type Console, jsonText } from './console.ts';
import { exit } from './exit.ts';
import type { LeasesAnswer } from './keeper-answers.ts';
import { addStackOption } from './stack-option.ts';

interface Options {
  readonly stack: string;
  readonly json?: true;
}

const whichLease = 'a subnet such as 10.244.7.0/24, or an instance id';

export function addLeases(program: Command, terminal: Console, end: (code: number) => void): void {
  const leases = program
    .command('leases')
    .summary('list, show, release, reserve, advertise')
    .description('Leases of the deployed stack.')
    .addHelpText(
      'after',
      `
Examples:
  leaseway leases list --state active stale
  leaseway leases show i-0123456789abcdef0
  leaseway leases release 10.244.7.0/24
  leaseway leases reserve --subnet 10.244.9.0/24 --eni eni-0123456789abcdef0
  leaseway leases advertise i-0123456789abcdef0 192.0.2.7
  leaseway leases advertise i-0123456789abcdef0 --none`,
    );
  const add = (text: string, description: string): Command =>
    addStackOption(leases.command(text).description(description), terminal).option('--json', 'print as JSON');

  const show = async (
    request: Readonly<Record<string, unknown>>,
    options: Options,
  ): Promise<LeasesAnswer['leases']> => {
    const { stackNamed } = await import('./stack-functions.ts');
    const { leasesText, remarksOn } = await import('./keeper-answers.ts');
    const answer = await stackNamed(options.stack).call('keep-leases', request);
    const asked = answer as unknown as LeasesAnswer & {
      lease: LeasesAnswer['leases'][number];
      warnings?: readonly string[];
    };
    const { lease, leases = [lease], warnings = [] } = asked;
    terminal.print(options.json === true ? jsonText(answer) : leasesText(leases));
    for (const line of [...remarksOn(asked), ...warnings]) terminal.note(line);
    end(exit.ok);
    return leases;
  };

  add('list', 'Lists all leases, released ones included.')
    .addOption(new Option('--state <state...>', 'in these states only').choices(leaseStates))
    .action(async (options: Options & { state?: readonly string[] }) => {
      await show({ command: 'list', ...(options.state !== undefined && { states: options.state }) }, options);
    });
  add('show', 'Shows one lease, or all that an instance holds or held.')
    .argument('<lease>', whichLease)
    .action(async (which: string, options: Options) => {
      await show({ command: 'show', ...targetOf(which) }, options);
    });
  add(
    'release',
    'Hands a subnet back, also that of a node that runs. Its routes go with the next sync; the node is not told, and claims again with its next renewal.',
  )
    .argument('<lease>', whichLease)
    .action(async (which: string, options: Options) => {
      const released = await show({ command: 'release', ...targetOf(which) }, options);
      const { releaseNote } = await import('./release-note.ts');
      for (const note of released.map(releaseNote)) if (note !== null) terminal.note(note);
    });
  add('reserve', 'Holds a subnet for a network interface, without an instance and without end.')
    .requiredOption('--subnet <cidr>', 'the subnet')
    .requiredOption('--eni <id>', 'the network interface that its packets go to')
    .action(async ({ subnet, eni, ...options }: Options & { subnet: string; eni: string }) => {
      await show({ command: 'reserve', subnet, eniId: eni }, options);
    });
  add('advertise', 'Sets the address that other nodes reach this one by, in place of the one that EC2 knows.')
    .argument('<lease>', whichLease)
    .argument('[address]', 'an IPv4 or IPv6 address')
    .option('--none', 'go back to the addresses that EC2 knows')
    .action(
      async (which: string, address: string | undefined, options: Options & { none?: true }, command: Command) => {
        if ((address === undefined) === (options.none === undefined)) {
          command.error('error: give an address or --none, and not both');
        }
        await show({ command: 'advertise', ...targetOf(which), address: address ?? null }, options);
      },
    );
}

function targetOf(which: string): Readonly<Record<string, string>> {
  return which.startsWith('i-') ? { instanceId: which } : { subnet: which };
}
