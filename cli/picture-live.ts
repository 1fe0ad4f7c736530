/** The picture of the deployed stack: its leases, its configuration, and the plan of a dry run. */
import type { Cidr } from '../shared/domain/cidr.ts';
import type { Lease } from '../shared/domain/lease.ts';
import { parseNetworkConfig } from '../shared/domain/parse-network-config.ts';
import { parseLease } from '../shared/domain/world-lease.ts';
import type { Console } from './console.ts';
import { UserError } from './exit.ts';
import { type LeasesAnswer, remarksOn, utc } from './keeper-answers.ts';
import type { Picture } from './picture.ts';
import { planOf, type ResyncReport, resyncPasses } from './resync-passes.ts';
import { type Stack, stackNamed } from './stack-functions.ts';

export async function pictureOfStack(stackName: string, terminal: Console, host: Cidr | null): Promise<Picture> {
  const stack = stackNamed(stackName);
  const [config, report, { leases, remarks }] = await Promise.all([
    configOf(stack),
    dryRun(stack, host, terminal),
    leasesOf(stack),
  ]);
  return {
    config,
    plan: planOf(report),
    leases,
    overflow: new Map(report.tables.map(({ id, overflow }) => [id, new Set(overflow)])),
    matches: report.matches ?? {},
    remarks: [...remarks, ...restingTables(report)],
  };
}

async function dryRun(stack: Stack, host: Cidr | null, terminal: Console): Promise<ResyncReport> {
  const plain = async () => (await resyncPasses(stack, { dryRun: true }, terminal.note))[0];
  if (host === null) return await plain();
  try {
    return (await resyncPasses(stack, { dryRun: true, address: host.text }, terminal.note))[0];
  } catch (error) {
    if (!(error instanceof UserError) || !error.message.startsWith('address: is not known')) throw error;
    terminal.note("this stack's functions are older than this command and cannot say what takes an address");
    return await plain();
  }
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
  const answer = (await stack.call('keep-leases', { command: 'list' })) as unknown as LeasesAnswer;
  const leases = answer.leases.map((entry, at): [string, Lease] => {
    const lease = parseLease(entry, `leases[${at}]`);
    return [lease.subnet.text, lease];
  });
  return { leases: new Map(leases), remarks: remarksOn(answer) };
}

/** What failed before says nothing of the plan, which is why a dry run does not report it; here it is asked for. */
function restingTables(report: ResyncReport): string[] {
  return report.tables.flatMap(({ id, retryAt }) =>
    retryAt === null
      ? []
      : [`${id}: writing it failed, and what failed is left alone until ${utc(Math.ceil(retryAt / 1000))}`],
  );
}
