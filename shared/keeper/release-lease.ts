/** `release`: hands a subnet back, also a live one. */
import type { CommandOf } from '../domain/command.ts';
import { holderBeside } from '../domain/grant.ts';
import { leaseDetailJson } from '../domain/lease-json.ts';
import { freed } from '../domain/lease-life.ts';
import { nextVersion } from '../domain/version.ts';
import { type CommandPorts, decideAndCommit } from './command-ports.ts';
import { heldLease } from './find-leases.ts';

/**
 * The operator's word is strong evidence: the routes go at once. An instance that still runs may claim again, and gets
 * the same subnet unless another was granted it first.
 */
export async function releaseLease(ports: CommandPorts, command: CommandOf<'release'>) {
  return decideAndCommit(ports, (book) => {
    const { lease, holder } = heldLease(book, command);
    const nowMs = ports.clock.now();
    const now = Math.floor(nowMs / 1000);
    const item = { ...freed(lease, 'released', now), version: nextVersion(lease.version, nowMs) };
    const isLast = holder !== null && holder.subnet.text === lease.subnet.text;
    const next = isLast ? { ...holderBeside(holder, item, now), version: nextVersion(holder.version, nowMs) } : null;
    return {
      result: { lease: leaseDetailJson(item, next ?? holder) },
      transaction: {
        leases: [{ item, expected: lease.version }],
        ...(next === null ? {} : { holders: [{ item: next, expected: holder?.version ?? null }] }),
      },
    };
  });
}
