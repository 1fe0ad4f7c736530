/** The layer-2 neighbourhood of a node. */
import { bitsOf, cidrOf, tryParseAddress } from './cidr.ts';
import type { NetworkConfig } from './network-config.ts';

export interface Neighbourhood {
  /** The VPC subnet of the node's ENI. */
  readonly subnetId: string;
  /** The ENI's own address; null where it has none of the family. */
  readonly privateIp: string | null;
  /** The address that peers use for the node; another than the ENI's is behind something and no neighbour's. */
  readonly nodeIp: string | null;
  /** Prefix length of the address on the node's interface; null: unknown. */
  readonly onLinkPrefix: number | null;
  /** Whether EC2 was seen to have the ENI's source/destination check off; with it on, every forwarded packet is lost. */
  readonly checkIsOff: boolean;
}

/**
 * The VPC subnet's id, followed by the block of `LocalNetworkMask` that holds the node where one is configured
 * (`subnet-1 10.0.1.0/26`). Equal texts are neighbours; null has none. An address without an on-link prefix (/32, /128)
 * reaches nobody without a router.
 */
export function segmentOf(node: Neighbourhood, config: Pick<NetworkConfig, 'backend'>): string | null {
  const address = tryParseAddress(node.nodeIp);
  if (!node.checkIsOff || address === null || node.nodeIp !== node.privateIp) return null;
  if (node.onLinkPrefix === null || node.onLinkPrefix >= bitsOf(address.family)) return null;
  const backend = config.backend.type === 'aws-vpc' ? config.backend.fallback : config.backend;
  const mask = backend?.localNetworkMask ?? null;
  if (mask === null) return node.subnetId;
  return `${node.subnetId} ${cidrOf(address.family, address.value, mask).text}`;
}

/** Plain `vxlan` without direct routing alone carries its packets under the node's own address. */
export function needsCheckOff(config: Pick<NetworkConfig, 'backend'>): boolean {
  return config.backend.type !== 'vxlan' || config.backend.directRouting;
}
