/** Kernel settings that packets depend on: of our own devices, of the uplink, of the whole namespace. */
import type { KernelRoute } from '../../shared/domain/kernel-rows.ts';
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { DeviceSpec } from '../../shared/domain/node-rows.ts';
import type { NodeOptions } from '../reconcile/node-options.ts';
import { ensureForwarding } from './forwarding.ts';
import { ensureReversePath } from './reverse-path.ts';
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
  routes: readonly KernelRoute[],
): Promise<readonly string[]> {
  for (const device of devices) await ensureOwnDevice(world.sysctls, device);
  return [
    ...(await ensureReversePath(world, config, uplink)),
    ...(await ensureForwarding(world, config, uplink, routes)),
  ];
}

/** Gone with the device, so not written down. */
async function ensureOwnDevice(sysctls: Sysctls, { name, family }: DeviceSpec): Promise<void> {
  const [path, value] =
    family === 'ipv4' ? [`net/ipv4/conf/${name}/rp_filter`, '2'] : [`net/ipv6/conf/${name}/accept_ra`, '0'];
  const present = await sysctls.read(path);
  if (present !== null && present !== value) await sysctls.write(path, value);
}
