/** flannel's `subnet.env`: what its CNI plugin and `mk-docker-opts.sh` read. Same keys, same values. */
import { addressText, type Family } from './cidr.ts';
import { subnetOf } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import type { AgentLease } from './read-map.ts';

const keys: Readonly<Record<Family, string>> = { ipv4: 'FLANNEL', ipv6: 'FLANNEL_IPV6' };

/**
 * @param mtu What pods may send, in bytes.
 * @param masquerade Whether this agent masquerades; the plugin does where it does not.
 */
export function subnetEnv(config: NetworkConfig, own: AgentLease, mtu: number, masquerade: boolean): string {
  const lines = config.families.flatMap(({ family, network }) => {
    const subnet = subnetOf(own, family);
    if (subnet === null) return [];
    // The bridge's address: the first after the base.
    const bridge = `${addressText(family, subnet.base + 1n)}/${subnet.length}`;
    return [`${keys[family]}_NETWORK=${network.text}`, `${keys[family]}_SUBNET=${bridge}`];
  });
  return `${[...lines, `FLANNEL_MTU=${mtu}`, `FLANNEL_IPMASQ=${masquerade}`].join('\n')}\n`;
}
