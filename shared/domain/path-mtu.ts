/** Sizes of packets along the paths, in bytes. */
import type { Family } from './cidr.ts';
import type { NetworkConfig } from './network-config.ts';
import { nodeBackendOf } from './path.ts';

/** Inner Ethernet (14), vxlan (8), UDP (8) and the outer IP header (20 or 40). */
const vxlanOverhead: Readonly<Record<Family, number>> = { ipv4: 50, ipv6: 70 };

/** What the outer packets may have: the uplink's MTU, capped by `MTU` of the backend and of its fallback. */
function outerMtu(config: NetworkConfig, uplinkMtu: number): number {
  const caps = [config.backend.mtu, nodeBackendOf(config.backend)?.mtu ?? null].filter((cap) => cap !== null);
  return Math.min(uplinkMtu, ...caps);
}

export function deviceMtu(config: NetworkConfig, uplinkMtu: number, family: Family): number {
  return outerMtu(config, uplinkMtu) - vxlanOverhead[family];
}

/**
 * What the network's pods are told: the MTU of the smallest path that the configuration can choose, whatever path a peer
 * has today, so that a change of path never makes a packet too large.
 */
export function announcedMtu(config: NetworkConfig, uplinkMtu: number): number {
  if (nodeBackendOf(config.backend)?.type !== 'vxlan') return outerMtu(config, uplinkMtu);
  return Math.min(...config.families.map(({ family }) => deviceMtu(config, uplinkMtu, family)));
}
