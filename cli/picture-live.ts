/** The picture of the deployed stack: its leases, its configuration, and the plan of a dry run. */
import { parseNetworkConfig } from '../shared/domain/parse-network-config.ts';
import { parseLease } from '../shared/domain/world-lease.ts';
import type { Console } from './console.ts';
import { UserError } from './exit.ts';
import type { Picture } from './picture.ts';
import { planOf, resyncPasses } from './resync-passes.ts';
import { type Stack, stackNamed } from './stack-functions.ts';

export async function pictureOfStack(stackName: string, terminal: Console): Promise<Picture> {
  const stack = stackNamed(stackName);
  const [config, [report], leases] = await Promise.all([
    configOf(stack),
    resyncPasses(stack, { dryRun: true }, terminal.note),
    leasesOf(stack),
  ]);
  return {
    config,
    plan: planOf(report),
    leases,
    overflow: new Map(report.tables.map(({ id, overflow }) => [id, new Set(overflow)])),
  };
}

async function configOf(stack: Stack) {
  const { stored } = (await stack.call('keep-leases', { command: 'network-show' })) as {
    stored?: { text: string } | null;
  };
  if (stored === null || stored === undefined) {
    throw new UserError('no network configuration was applied yet: leaseway network apply FILE');
  }
  return parseNetworkConfig(stored.text);
}

async function leasesOf(stack: Stack) {
  const { leases } = (await stack.call('keep-leases', { command: 'list' })) as { leases: readonly unknown[] };
  return new Map(
    leases.map((entry, at) => {
      const lease = parseLease(entry, `leases[${at}]`);
      return [lease.subnet.text, lease];
    }),
  );
}
