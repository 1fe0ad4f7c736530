/** The source/destination check of ENIs: with it on, EC2 drops every packet that a node forwards. */
import type { Clock, Instances, InterfaceFacts } from './ports.ts';

export interface CheckResult {
  /** ENIs that a reading of EC2 showed with the check off. */
  readonly off: ReadonlySet<string>;
  /** Why the check of an ENI is not known to be off. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Milliseconds for modifications. EC2 takes 100 at once and 5 a second after that; whoever has to wait longer is told
 * so, claims again, and finds the crowd gone.
 */
const longest = 40_000;

/**
 * Switches the check off where the reading at hand shows it on, and there alone: a modification per ENI and run would
 * eat the account's EC2 budget. Then reads those ENIs once more, because only a reading confirms. Throws nothing.
 */
export async function switchChecksOff(
  {
    ec2,
    clock,
  }: { readonly ec2: Pick<Instances, 'describeInterfaces' | 'switchOffSourceDestCheck'>; readonly clock: Clock },
  enis: readonly InterfaceFacts[],
  isWanted: boolean,
): Promise<CheckResult> {
  const off = new Set(enis.filter((eni) => !eni.sourceDestCheck).map((eni) => eni.eniId));
  const problems = new Map<string, string>();
  const on = [...new Set(enis.filter((eni) => eni.sourceDestCheck).map((eni) => eni.eniId))].sort();
  if (!isWanted) return { off, problems };

  const changed: string[] = [];
  const end = clock.now() + longest;
  for (const eniId of on) {
    if (clock.now() > end) {
      problems.set(eniId, `EC2 was too slow to switch off the source/destination check of ${eniId} in this run`);
      continue;
    }
    try {
      await ec2.switchOffSourceDestCheck(eniId);
      changed.push(eniId);
    } catch (error) {
      problems.set(eniId, `the source/destination check of ${eniId} cannot be switched off: ${messageOf(error)}`);
    }
  }
  try {
    const seen = changed.length === 0 ? [] : await ec2.describeInterfaces(changed);
    for (const eni of seen) if (!eni.sourceDestCheck) off.add(eni.eniId);
  } catch (error) {
    for (const eniId of changed) problems.set(eniId, `${unconfirmed(eniId)}: ${messageOf(error)}`);
  }
  for (const eniId of changed) {
    if (!off.has(eniId) && !problems.has(eniId)) problems.set(eniId, unconfirmed(eniId));
  }
  return { off, problems };
}

function unconfirmed(eniId: string): string {
  return `EC2 does not show the source/destination check of ${eniId} as off yet`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
