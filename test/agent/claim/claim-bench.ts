/** A claim loop with a keeper that a test plays, and time that stands still. */
import type { TestContext } from 'node:test';
import { type Claiming, type ClaimingOptions, startClaiming } from '../../../agent/claim/claiming.ts';
import type { RememberedLease } from '../../../agent/claim/lease-memory.ts';
import type { OldAddress } from '../../../agent/claim/lost-subnet.ts';
import type { Answer } from '../../../shared/domain/answer.ts';
import { type Cidr, parseCidr } from '../../../shared/domain/cidr.ts';
import type { Claim } from '../../../shared/domain/claim.ts';
import { type RecordedLog, recordedLog } from '../fakes/log.ts';
import { VirtualClock } from '../fakes/virtual-clock.ts';

export const arn = 'arn:aws:ec2:eu-central-1:123456789012:instance/i-1';

export interface ClaimBench {
  readonly clock: VirtualClock;
  readonly log: RecordedLog;
  readonly claiming: Claiming;
  /** What the node wrote, and when (ms since the start). */
  readonly written: (Claim & { readonly at: number })[];
  /** How the keeper answers a claim; null: not at all. */
  keeper: (claim: Claim) => Answer | null;
  /** Whether the claims table can be reached. */
  reachable: boolean;
  revision: number | null;
  leaseSeconds: number | null;
  old: readonly OldAddress[];
  remembered: RememberedLease | null;
}

export const subnet = (text: string): Cidr => parseCidr(text, 'subnet');

export function granted(claim: Claim, text: string, expiresAt: number, status: 'granted' | 'lost' = 'granted'): Answer {
  const reason = status === 'lost' ? 'it was granted to i-2 meanwhile' : null;
  const vtepMac = '02:00:00:00:00:01';
  return { claimId: claim.claimId, status, reason, subnet: subnet(text), ipv6Subnet: null, vtepMac, expiresAt };
}

export function claimBench(
  t: TestContext,
  options: Partial<ClaimingOptions> & { remembered?: RememberedLease } = {},
): ClaimBench {
  const clock = new VirtualClock();
  const start = clock.time;
  const log = recordedLog();
  let answer: Answer | null = null;
  const reach = () => {
    if (!bench.reachable) throw new Error('connect ECONNREFUSED');
  };
  const state: Omit<ClaimBench, 'claiming'> = {
    clock,
    log,
    written: [],
    keeper: () => null,
    reachable: true,
    revision: null,
    leaseSeconds: null,
    old: [],
    remembered: options.remembered ?? null,
  };
  // The loop starts on construction, and reads the bench from then on.
  const bench = state as ClaimBench;
  const claiming = startClaiming({
    claims: {
      write: async (claim) => {
        reach();
        bench.written.push({ ...claim, at: clock.time - start });
        answer = bench.keeper(claim) ?? answer;
      },
      readAnswer: async () => {
        reach();
        return answer;
      },
    },
    memory: {
      read: async () => bench.remembered,
      write: async (lease) => {
        bench.remembered = lease;
      },
    },
    instanceArn: arn,
    bootId: 'boot-1',
    facts: async () => ({ network: 'default', eniId: null, onLinkPrefix: 24, mtu: 9001, agentVersion: '0.1.0' }),
    subnet: null,
    previous: null,
    appliedRevision: () => bench.revision,
    leaseSeconds: () => bench.leaseSeconds,
    oldAddresses: async () => bench.old,
    clockUntil: clock.until,
    log,
    random: () => 0.999,
    ...options,
  });
  t.after(() => claiming.close());
  return Object.assign(bench, { claiming });
}
