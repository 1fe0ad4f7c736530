/** From stream records to claims that wait for an answer. */
import { type Answer, isFinal, parseAnswer } from '../domain/answer.ts';
import { type Claim, claimIdOf, parseClaim } from '../domain/claim.ts';
import { type AccountPlace, instanceIdOf } from '../domain/instance-arn.ts';
import type { ClaimStore } from './ports.ts';

/** The part of a stream record that is believed: which claim it is about. Its image may be old, or anything. */
export interface ClaimRecord {
  readonly instanceArn: string;
  readonly sequenceNumber: string;
}

export interface WaitingClaim {
  readonly instanceArn: string;
  readonly instanceId: string;
  readonly claim: Claim;
  readonly answered: Answer | null;
}

export interface ClaimsRead {
  readonly waiting: readonly WaitingClaim[];
  /** Answers that need neither book nor EC2. */
  readonly refusals: readonly { readonly instanceArn: string; readonly answer: Answer }[];
  /** What cannot be read: for the rejects queue. The sequence numbers are not failures. */
  readonly rejects: readonly { readonly reason: string; readonly body: unknown }[];
  /** ARNs whose claims could not be read. */
  readonly failed: ReadonlyMap<string, unknown>;
}

export interface Served extends AccountPlace {
  readonly network: string;
}

/** Reads of one go: enough to overlap the round trips, few enough to leave sockets for others. */
const readsAtOnce = 20;

export async function readClaims(claims: ClaimStore, arns: readonly string[], served: Served): Promise<ClaimsRead> {
  const waiting: WaitingClaim[] = [];
  const refusals: { instanceArn: string; answer: Answer }[] = [];
  const rejects: { reason: string; body: unknown }[] = [];
  const failed = new Map<string, unknown>();
  for (let at = 0; at < arns.length; at += readsAtOnce) {
    const some = arns.slice(at, at + readsAtOnce);
    const results = await Promise.allSettled(some.map((arn) => claims.read(arn)));
    results.forEach((result, index) => {
      const arn = some[index] ?? '';
      if (result.status === 'rejected') failed.set(arn, result.reason);
      else sort(arn, result.value);
    });
  }
  return { waiting, refusals, rejects, failed };

  function sort(arn: string, { claim: item, answer }: { claim: unknown; answer: unknown }): void {
    if (item === null || item === undefined) return; // taken back meanwhile
    const answered = readAnswer(answer);
    const claimId = claimIdOf(item);
    if (claimId !== null && answered?.claimId === claimId && isFinal(answered.status)) return;
    const refuse = (reason: string) => {
      if (claimId !== null) refusals.push({ instanceArn: arn, answer: { claimId, status: 'refused', reason } });
    };
    const instanceId = instanceIdOf(arn, served);
    if (instanceId === null) {
      const reason = `the key ${arn} is no instance of ${served.account} in ${served.region} (${served.partition})`;
      rejects.push({ reason, body: { instanceArn: arn } });
      refuse(reason);
      return;
    }
    try {
      const claim = parseClaim(item);
      if (claim.network === served.network) waiting.push({ instanceArn: arn, instanceId, claim, answered });
      else refuse(`the network ${claim.network} is not served here; ${served.network} is`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      rejects.push({ reason, body: { instanceArn: arn, claim: item } });
      refuse(reason);
    }
  }
}

/** A node can write its own answer; one that does not read as an answer is none. */
function readAnswer(item: unknown): Answer | null {
  if (item === null || item === undefined) return null;
  try {
    return parseAnswer(item);
  } catch {
    return null;
  }
}
