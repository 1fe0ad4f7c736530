import type { Cidr } from '../../shared/domain/cidr.ts';

/** How it stands with the node's claim, for status, health and metrics. */
export interface ClaimStatus {
  /** `claiming`: no final answer yet in this life. `renewing`: a lease is held and the next answer awaited. */
  readonly state: 'claiming' | 'granted' | 'renewing' | 'refused';
  readonly subnet: Cidr | null;
  readonly ipv6Subnet: Cidr | null;
  /** Epoch seconds; null: nothing was granted in this life. */
  readonly expiresAt: number | null;
  /** Claims written, and answers that were read to them, since the start. */
  readonly written: number;
  readonly answered: number;
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[];
}
