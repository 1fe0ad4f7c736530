/** Answers: what the keeper tells a node about its claim. */
import type { Cidr } from './cidr.ts';

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
