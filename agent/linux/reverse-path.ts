/**
 * Reverse path filter. Two ends learn a new map seconds apart, so a node must take a packet on either
 * path: a strict filter (1) drops it. The kernel uses the greater of `all` and the interface's value, so 2 (loose) on
 * the interface always wins over 1.
 */
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { SettingsWorld } from './settings.ts';

export async function ensureReversePath(
  { sysctls, record, options, log }: SettingsWorld,
  config: NetworkConfig,
  uplink: string,
): Promise<string[]> {
  if (!config.families.some(({ family }) => family === 'ipv4')) return [];
  const path = `net/ipv4/conf/${uplink}/rp_filter`;
  const [all, own] = [await sysctls.read('net/ipv4/conf/all/rp_filter'), await sysctls.read(path)];
  if (Math.max(Number(all), Number(own)) !== 1) return [];
  const hasFallback = config.backend.type === 'aws-vpc' && config.backend.fallback !== null;
  if (options.rpFilter === 'loose' || (options.rpFilter === 'auto' && hasFallback)) {
    if (await record.set(path, '2')) log(`${path}: set to 2 (loose), so that packets are taken on either path`);
    return [];
  }
  // A node with one path to every peer is not hurt by it.
  const { backend } = config;
  const canChange = hasFallback || (backend.type === 'vxlan' && backend.directRouting);
  if (!canChange) return [];
  return [`rp_filter of ${uplink} is strict: packets are lost while two nodes see different paths (--rp-filter loose)`];
}
