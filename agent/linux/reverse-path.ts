/**
 * Reverse path filter and forwarding. Two ends learn a new map seconds apart, so a node must take a packet on either
 * path: a strict filter (1) drops it. The kernel uses the greater of `all` and the interface's value, so 2 (loose) on
 * the interface always wins over 1.
 */
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { DeviceSpec } from '../../shared/domain/node-rows.ts';
import type { NodeOptions } from '../reconcile/node-options.ts';
import type { Sysctls } from './sysctl.ts';
import type { SettingsRecord } from './sysctl-record.ts';

export interface SettingsWorld {
  readonly sysctls: Sysctls;
  readonly record: SettingsRecord;
  readonly options: Pick<NodeOptions, 'rpFilter' | 'forwarding'>;
  log(message: string): void;
}

/** Gives what stays wrong, a sentence each. */
export async function ensureSettings(
  world: SettingsWorld,
  config: NetworkConfig,
  uplink: string,
  devices: readonly DeviceSpec[],
): Promise<readonly string[]> {
  for (const device of devices) await ensureOwnDevice(world.sysctls, device);
  return [...(await ensureReversePath(world, config, uplink)), ...(await ensureForwarding(world, config, uplink))];
}

/** Gone with the device, so not written down. */
async function ensureOwnDevice(sysctls: Sysctls, { name, family }: DeviceSpec): Promise<void> {
  const [path, value] =
    family === 'ipv4' ? [`net/ipv4/conf/${name}/rp_filter`, '2'] : [`net/ipv6/conf/${name}/accept_ra`, '0'];
  const present = await sysctls.read(path);
  if (present !== null && present !== value) await sysctls.write(path, value);
}

async function ensureReversePath(
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

async function ensureForwarding(
  { sysctls, record, options, log }: SettingsWorld,
  config: NetworkConfig,
  uplink: string,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { family } of config.families) {
    const path = family === 'ipv4' ? 'net/ipv4/ip_forward' : 'net/ipv6/conf/all/forwarding';
    if ((await sysctls.read(path)) === '0') {
      if (!options.forwarding) problems.push(`${path} is 0: packets of pods are not forwarded (--forwarding sets it)`);
      else if (await record.set(path, '1')) log(`${path}: set to 1`);
    }
    if (family === 'ipv6' && (await sysctls.read(path)) === '1')
      problems.push(...(await advertisements(sysctls, uplink)));
  }
  return problems;
}

/** A forwarding host ignores router advertisements unless told otherwise, and loses its default route when that expires. */
async function advertisements(sysctls: Sysctls, uplink: string): Promise<string[]> {
  const path = `net/ipv6/conf/${uplink}/accept_ra`;
  if ((await sysctls.read(path)) !== '1') return [];
  return [`${path} is 1 and IPv6 is forwarded: router advertisements are ignored (set it to 2)`];
}
