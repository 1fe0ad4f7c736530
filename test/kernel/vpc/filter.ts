/**
 * What the VPC lets through between an ENI and its bridge, as one nft ruleset that is replaced whole.
 *
 * The base chains stay where they are and are filled anew. A transaction that deletes them and makes them again has a moment
 * in which the old ones are empty and still hooked, and drop a packet of whoever sends just then.
 *
 * Stateless on purpose: replies must be allowed like anything else, so a test that passes here relies on no connection
 * tracking of EC2's. ARP never crosses the bridge: the owner's port has `proxy_arp_wifi` and the bridge answers from the router's neighbour table, so
 * that a node does not learn a peer's new MAC from the peer's own requests, as it would on a real wire and does not on
 * AWS. Neighbour solicitations have no such proxy in the kernel: they go to the owner of the address alone.
 */
import { parseAddress, tryParseAddress } from '../../../shared/domain/cidr.ts';
import { linkLocalOf, type PlacedEni, routerLinkLocal, solicitedNodeOf } from './placed-eni.ts';

const elementsOf = (name: string, elements: readonly string[]): string =>
  elements.length > 0 ? `add element bridge vpc ${name} { ${elements.join(', ')} }` : '';

const interval = 'flags interval; ';

const sets: readonly (readonly [name: string, type: string, flags?: string])[] = [
  ['macs', 'ifname . ether_addr'],
  ['own4', 'ifname . ipv4_addr'],
  ['own6', 'ifname . ipv6_addr'],
  ['solicited', 'ifname . ipv6_addr'],
  ['unchecked', 'ifname'],
  ['allowed4', 'ifname . ipv4_addr', interval],
  ['allowed6', 'ifname . ipv6_addr', interval],
];

const baseChains = [
  ['from_eni', 'type filter hook prerouting priority -200; policy drop;'],
  ['between_enis', 'type filter hook forward priority 0; policy accept;'],
  ['to_eni', 'type filter hook postrouting priority 0; policy drop;'],
] as const;

const isIpv6 = (cidr: string) => cidr.includes(':');

const own6 = (eni: PlacedEni): readonly string[] => [
  linkLocalOf(eni.mac),
  ...(eni.ipv6 === undefined ? [] : [parseAddress(eni.ipv6, 'ipv6', 'ipv6')]),
];

const solicited = (eni: PlacedEni): readonly string[] => [
  ...new Set(own6(eni).map((address) => solicitedNodeOf(tryParseAddress(address)?.value ?? 0n))),
];

export function bridgeFilter(enis: readonly PlacedEni[], unchecked: ReadonlySet<string>): string {
  const each = (values: (eni: PlacedEni) => readonly string[]) =>
    enis.flatMap((eni) => values(eni).map((value) => `"${eni.port}" . ${value}`));
  const loose = enis.filter((eni) => unchecked.has(eni.id)).map((eni) => `"${eni.port}"`);
  const elements: Readonly<Record<string, readonly string[]>> = {
    macs: each((eni) => [eni.mac]),
    own4: each((eni) => [eni.address]),
    own6: each(own6),
    solicited: each(solicited),
    unchecked: loose,
    allowed4: each((eni) => eni.allowedFrom.filter((cidr) => !isIpv6(cidr))),
    allowed6: each((eni) => eni.allowedFrom.filter(isIpv6)),
  };
  return `
table bridge vpc {
${sets.map(([name, type, flags = '']) => `  set ${name} { type ${type}; ${flags} }`).join('\n')}
${baseChains.map(([name, hook]) => `  chain ${name} { ${hook} }`).join('\n')}
  chain security_group { }
}
flush table bridge vpc
${sets.map(([name]) => `flush set bridge vpc ${name}`).join('\n')}
${sets.map(([name]) => elementsOf(name, elements[name] ?? [])).join('\n')}
table bridge vpc {
  chain from_eni {
    iifname . ether saddr != @macs drop
    ether type arp arp operation request accept
    ether type ip6 icmpv6 type nd-neighbor-advert iifname . ip6 saddr != @own6 drop
    ip6 daddr ff02::1:ff00:0/104 icmpv6 type nd-neighbor-solicit iifname . ip6 saddr @own6 accept
    ip6 daddr ff02::1:ff00:0/104 icmpv6 type nd-neighbor-solicit iifname @unchecked accept
    ether daddr & 01:00:00:00:00:00 != 00:00:00:00:00:00 drop
    ether type ip iifname @unchecked accept
    ether type ip iifname . ip saddr @own4 accept
    ether type ip6 iifname @unchecked accept
    ether type ip6 iifname . ip6 saddr @own6 accept
  }
  chain between_enis {
    ether type arp drop
  }
  chain to_eni {
    ether type arp accept
    icmpv6 type nd-neighbor-solicit oifname . ip6 daddr @solicited accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } oifname . ip6 daddr @own6 accept
    ether type ip oifname @unchecked goto security_group
    ether type ip oifname . ip daddr @own4 goto security_group
    ether type ip6 oifname @unchecked goto security_group
    ether type ip6 oifname . ip6 daddr @own6 goto security_group
  }
  chain security_group {
    ether type ip oifname . ip saddr @allowed4 accept
    ether type ip6 oifname . ip6 saddr @allowed6 accept
    drop
  }
}
`;
}

/** The router itself says nothing but who has its link-local address: no redirects, no errors, no echo. */
export const routerSilence = `
table inet router {
  chain output {
    type filter hook output priority 0; policy drop;
    icmpv6 type nd-neighbor-advert ip6 saddr ${routerLinkLocal} accept
  }
}
`;
