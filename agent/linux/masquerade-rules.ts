/**
 * The masquerade as an nft ruleset in tables of our own. The meaning of flannel's iptables rules, with `snat to` an
 * address instead of `masquerade`: that binds a connection to its out-interface and resets it when its path changes.
 */
import { baseAddress, type Cidr, type Family, tryParseCidr } from '../../shared/domain/cidr.ts';
import { subnetOf } from '../../shared/domain/lease.ts';
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { NodeFacts } from '../../shared/domain/node-facts.ts';
import { nodeBackendOf } from '../../shared/domain/path.ts';
import type { AgentLease } from '../../shared/domain/read-map.ts';

export const masqueradeTable = 'leaseway';
export const nftFamily: Readonly<Record<Family, string>> = { ipv4: 'ip', ipv6: 'ip6' };
const multicast: Readonly<Record<Family, string>> = { ipv4: '224.0.0.0/4', ipv6: 'ff00::/8' };

/** @param exempt Ranges towards which packets keep their source, such as the VPC's. */
export function masqueradeRules(
  config: NetworkConfig,
  own: AgentLease,
  facts: NodeFacts,
  exempt: readonly string[],
): string {
  return config.families
    .flatMap(({ family, network }) => {
      const subnet = subnetOf(own, family);
      const node = facts.addresses[family]?.address;
      if (subnet === null || node === undefined) return [];
      // Replies to the node's own address would not come back through the tunnel; those to its subnet do on every path.
      const inner = nodeBackendOf(config.backend)?.type === 'vxlan' ? baseAddress(subnet) : node;
      const ranges = exempt.flatMap((text) => tryParseCidr(text) ?? []).filter((range) => range.family === family);
      return [tableText(family, { network, subnet, node, inner, exempt: ranges })];
    })
    .join('');
}

interface Parts {
  readonly network: Cidr;
  readonly subnet: Cidr;
  /** Source of packets that leave the network. */
  readonly node: string;
  /** Source of strangers' packets to remote pods. */
  readonly inner: string;
  readonly exempt: readonly Cidr[];
}

function tableText(family: Family, { network, subnet, node, inner, exempt }: Parts): string {
  const ip = nftFamily[family];
  const rules = [
    // kube-proxy has marked it and masquerades itself.
    'meta mark & 0x4000 == 0x4000 return',
    `${ip} saddr ${subnet.text} ${ip} daddr ${network.text} return`,
    `${ip} saddr ${network.text} ${ip} daddr ${subnet.text} return`,
    // What comes from outside to a pod of this node keeps its source.
    `${ip} saddr != ${network.text} ${ip} daddr ${subnet.text} return`,
    ...exempt.map((range) => `${ip} saddr ${network.text} ${ip} daddr ${range.text} return`),
    `${ip} saddr ${network.text} ${ip} daddr != ${multicast[family]} snat to ${node} fully-random`,
    `${ip} saddr != ${network.text} ${ip} daddr ${network.text} snat to ${inner} fully-random`,
  ];
  const table = `${ip} ${masqueradeTable}`;
  return [
    // Made, so that it can be deleted, and made anew: one transaction, and no moment without rules.
    `table ${table} {}`,
    `delete table ${table}`,
    `table ${table} {`,
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    ...rules.map((rule) => `    ${rule}`),
    '  }',
    '}',
    '',
  ].join('\n');
}
