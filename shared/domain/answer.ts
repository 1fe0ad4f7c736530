/** Answers: what the keeper tells a node about its claim. */
import * as v from 'valibot';
import type { Cidr } from './cidr.ts';
import { cidrText, epochSeconds, macText, parseWith } from './parse-with.ts';

/**
 * - `granted`: the subnet is the node's until `expiresAt`.
 * - `pending`: not yet, for `reason`; the node repeats its claim.
 * - `refused`: no, for `reason`; repeating the same claim is in vain until something changes.
 * - `lost`: the subnet that the node held before went to another; `subnet` is the one it holds now, granted in the
 *   same transaction. A node that reads it takes the new subnet as after `granted`, and tells its operator that the
 *   addresses of running containers are void. Repeated answers of this kind say the same again.
 */
export type Answer =
  | { readonly claimId: string; readonly status: 'pending' | 'refused'; readonly reason: string }
  | {
      readonly claimId: string;
      readonly status: 'granted' | 'lost';
      readonly reason: string | null;
      readonly subnet: Cidr;
      readonly ipv6Subnet: Cidr | null;
      readonly vtepMac: string;
      /** Epoch seconds. */
      readonly expiresAt: number;
    };

export type AnswerStatus = Answer['status'];

/** Whether the claim needs no further answer. */
export function isFinal(status: AnswerStatus): boolean {
  return status !== 'pending';
}

const schema = v.variant('status', [
  v.object({
    claimId: v.string('is not text'),
    status: v.picklist(['pending', 'refused']),
    reason: v.string('is not text'),
  }),
  v.object({
    claimId: v.string('is not text'),
    status: v.picklist(['granted', 'lost']),
    reason: v.optional(v.nullable(v.string('is not text')), null),
    subnet: cidrText(),
    ipv6Subnet: v.optional(v.nullable(cidrText('ipv6')), null),
    vtepMac: macText,
    expiresAt: epochSeconds,
  }),
]);

/** Reads the plain attributes of an answer item; throws InvalidInput that names the field. */
export function parseAnswer(item: unknown): Answer {
  return parseWith(schema, item, 'answer');
}

/** The plain attributes of an answer item, without its keys. Those that are null are left out. */
export function answerItem(answer: Answer): Record<string, unknown> {
  if (!('subnet' in answer)) return { ...answer };
  const item = { ...answer, subnet: answer.subnet.text, ipv6Subnet: answer.ipv6Subnet?.text ?? null };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}
