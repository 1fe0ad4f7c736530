/** Claims: what a node writes about itself. Nothing in them is trusted but the key, which the node's policy pins. */
import * as v from 'valibot';
import type { Cidr } from './cidr.ts';
import { cidrText, count, eniIdText, parseWith, shortText } from './parse-with.ts';

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
  /** The node hands its lease back, and asks for none. */
  readonly release: boolean;
}

const schema = v.object({
  claimId: shortText,
  network: shortText,
  subnet: v.optional(v.nullable(cidrText()), null),
  eniId: v.optional(v.nullable(eniIdText), null),
  onLinkPrefix: v.optional(v.nullable(v.pipe(count, v.maxValue(128, 'is no prefix length'))), null),
  mtu: v.optional(v.nullable(v.pipe(count, v.maxValue(65_536, 'is no MTU'))), null),
  revision: v.optional(v.nullable(count), null),
  agentVersion: v.optional(v.nullable(shortText), null),
  release: v.optional(v.boolean('is neither true nor false'), false),
});

/** Reads the plain attributes of a claim item; throws InvalidInput that names the field. */
export function parseClaim(item: unknown): Claim {
  return parseWith(schema, item, 'claim');
}

/** The plain attributes of a claim item, without its keys. Those that are null, and `release` where it is not asked, are left out. */
export function claimItem(claim: Claim): Record<string, unknown> {
  const item = { ...claim, subnet: claim.subnet?.text ?? null };
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== false));
}

/** The claim's id, if anything can be read of it: so that a malformed claim can still be refused by name. */
export function claimIdOf(item: unknown): string | null {
  const result = v.safeParse(v.object({ claimId: shortText }), item);
  return result.success ? result.output.claimId : null;
}
