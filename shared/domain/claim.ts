/** Claims: what a node writes about itself. Nothing in them is trusted but the key, which the node's policy pins. */
import type { Cidr } from './cidr.ts';

export interface Claim {
  /** New with every writing, so that each makes a stream record and its answer can be told from older ones. */
  readonly claimId: string;
  readonly network: string;
  /** The subnet asked for (`--subnet`); null: any. */
  readonly subnet: Cidr | null;
  /** The ENI to use; null: the primary one. */
  readonly eniId: string | null;
  /** Prefix length of the node's address on its interface; null: none that is on-link. */
  readonly onLinkPrefix: number | null;
  /** MTU of the node's link in bytes. */
  readonly mtu: number | null;
  /** Revision of the map that the node has applied. */
  readonly revision: number | null;
  readonly agentVersion: string | null;
}
