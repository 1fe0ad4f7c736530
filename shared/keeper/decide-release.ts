/**
 * A claim by which a node hands its lease back (`agent run --release-on-exit`). It is a claim that says so, and not a
 * claim that is gone: an emptied claims table must not release a cluster.
 */
import type { Claim } from '../domain/claim.ts';
import { holderBeside } from '../domain/grant.ts';
import { isHeld } from '../domain/lease.ts';
import { freed } from '../domain/lease-life.ts';
import { nextVersion } from '../domain/version.ts';
import type { Decision } from './decide-claim.ts';
import type { WorkingBook } from './working-book.ts';

/** Needs nothing of EC2: the key of the claim says who writes it, and a lease of one's own may always be given up. */
export function decideRelease(book: WorkingBook, instanceId: string, claim: Claim, nowMs: number): Decision {
  const answer = (reason: string) => ({ claimId: claim.claimId, status: 'refused', reason }) as const;
  const lease = [...book.leases.values()].find((each) => each.instanceId === instanceId && isHeld(each.state));
  if (lease === undefined) return { answer: answer(`${instanceId} holds no lease`), transaction: null };
  const now = Math.floor(nowMs / 1000);
  const item = { ...freed(lease, 'released', now), version: nextVersion(lease.version, nowMs) };
  const holder = book.holders.get(instanceId);
  const next =
    holder === undefined
      ? []
      : [
          {
            item: { ...holderBeside(holder, item, now), version: nextVersion(holder.version, nowMs) },
            expected: holder.version,
          },
        ];
  return {
    answer: answer(`${lease.subnet.text} was released at the node's own request`),
    transaction: { configRevision: book.configRevision, leases: [{ item, expected: lease.version }], holders: next },
  };
}
