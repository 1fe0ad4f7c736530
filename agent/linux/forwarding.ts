/**
 * Forwarding, and what it does to router advertisements: a host that becomes an IPv6 router ignores them, and at that
 * moment the kernel deletes every default route that it had from one, save on interfaces with `accept_ra` 2.
 */
import type { KernelRoute } from '../../shared/domain/kernel-rows.ts';
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { SettingsWorld } from './settings.ts';

/** RTPROT_RA. */
const advertisedProtocol = 9;

export async function ensureForwarding(
  { sysctls, record, options, log }: SettingsWorld,
  config: NetworkConfig,
  uplink: string,
  routes: readonly KernelRoute[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { family } of config.families) {
    // Before forwarding is on: a default route that is gone comes back with the next advertisement, minutes later.
    if (family === 'ipv6' && options.forwarding) {
      for (const path of advertisementPaths(uplink, routes)) {
        if ((await sysctls.read(path)) === '1' && (await record.set(path, '2'))) {
          log(`${path}: set to 2, so that router advertisements are accepted on a host that forwards`);
        }
      }
    }
    const path = family === 'ipv4' ? 'net/ipv4/ip_forward' : 'net/ipv6/conf/all/forwarding';
    if ((await sysctls.read(path)) === '0') {
      if (!options.forwarding) problems.push(`${path} is 0: packets of pods are not forwarded (--forwarding sets it)`);
      else if (await record.set(path, '1')) log(`${path}: set to 1`);
    }
    if (family !== 'ipv6' || (await sysctls.read(path)) !== '1') continue;
    const own = acceptance(uplink);
    if ((await sysctls.read(own)) !== '1') continue;
    problems.push(`${own} is 1 and IPv6 is forwarded: router advertisements are ignored (set it to 2)`);
  }
  return problems;
}

/** Of the uplink, and of every other interface whose default route comes from an advertisement. */
function advertisementPaths(uplink: string, routes: readonly KernelRoute[]): string[] {
  const advertised = routes.flatMap(({ destination, protocol, dev }) =>
    destination === '::/0' && protocol === advertisedProtocol && dev !== null ? [dev] : [],
  );
  return [...new Set([uplink, ...advertised])].map(acceptance);
}

function acceptance(link: string): string {
  return `net/ipv6/conf/${link}/accept_ra`;
}
