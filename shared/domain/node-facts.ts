/** What a node knows of itself beside the map: read from its kernel anew for every pass. */
import type { Cidr, Family } from './cidr.ts';

export interface NodeAddress {
  /** The address that packets of this node carry, canonical; it is on the uplink. */
  readonly address: string;
  /** Prefix length of that address on the uplink. */
  readonly onLinkPrefix: number;
}

export interface NodeFacts {
  readonly instanceId: string;
  /** The interface whose link peers and the VPC router are on. */
  readonly uplink: string;
  /** In bytes. */
  readonly uplinkMtu: number;
  /** Null: the uplink has no address of the family. */
  readonly addresses: Readonly<Record<Family, NodeAddress | null>>;
  /** The VPC router on the uplink, canonical; null: none is known. */
  readonly routers: Readonly<Record<Family, string | null>>;
  /** Everything on-link at the uplink. */
  readonly localNetworks: readonly Cidr[];
}
