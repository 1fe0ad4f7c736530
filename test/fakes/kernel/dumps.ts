/** The fake kernel's state as `ip -N -json` and `bridge -json` print it (iproute2 6.1). */
import type { KernelState } from './kernel-state.ts';

const numbers: Readonly<Record<string, string>> = { blackhole: '6', unreachable: '7' };

export function links({ links, ipv6 }: KernelState): unknown[] {
  return links.map((link, index) => ({
    ifindex: index + 1,
    ifname: link.name,
    flags: ['BROADCAST', 'MULTICAST', ...(link.up ? ['UP', 'LOWER_UP'] : [])],
    mtu: link.mtu,
    address: link.mac,
    ...(link.kind === null
      ? {}
      : { linkinfo: { info_kind: link.kind, ...(link.vxlan ? { info_data: vxlan(link) } : {}) } }),
    ...(ipv6 ? { inet6_addr_gen_mode: link.mode } : {}),
  }));
}

function vxlan({ vxlan, lower }: KernelState['links'][number]): unknown {
  if (vxlan === null) return {};
  const { id, local, port, learning, gbp } = vxlan;
  return {
    id,
    [local.includes(':') ? 'local6' : 'local']: local,
    link: lower,
    port,
    learning,
    ...(gbp ? { gbp } : {}),
  };
}

export function addresses({ links }: KernelState): unknown[] {
  return links.map((link, index) => ({
    ifindex: index + 1,
    ifname: link.name,
    addr_info: link.addresses.map((address) => {
      const [local, prefixlen] = address.split('/');
      return { family: address.includes(':') ? 'inet6' : 'inet', local, prefixlen: Number(prefixlen), scope: '0' };
    }),
  }));
}

export function routes({ routes }: KernelState, family: 'ipv4' | 'ipv6'): unknown[] {
  return routes
    .filter(({ destination }) => destination.includes(':') === (family === 'ipv6'))
    .map(({ type, destination, via, dev, src, onlink, protocol, metric }) => ({
      ...(type === 'unicast' ? {} : { type: numbers[type] ?? type }),
      dst: destination === '0.0.0.0/0' || destination === '::/0' ? 'default' : destination.replace(/\/(32|128)$/, ''),
      ...(via === null ? {} : { gateway: via }),
      ...(dev === null ? (family === 'ipv6' ? { dev: 'lo' } : {}) : { dev }),
      // 3 is "boot", which ip leaves out.
      ...(protocol === 3 ? {} : { protocol: String(protocol) }),
      ...(src === null ? {} : { prefsrc: src }),
      ...(metric === 0 ? {} : { metric }),
      flags: onlink ? ['onlink'] : [],
    }));
}

export function neighbours({ neighbours }: KernelState): unknown[] {
  return neighbours.map(({ dev, address, mac, permanent }) => ({
    dst: address,
    dev,
    lladdr: mac,
    state: [permanent ? 'PERMANENT' : 'REACHABLE'],
  }));
}

export function fdb({ fdb }: KernelState): unknown[] {
  return fdb.map(({ dev, mac, dst }) => ({ mac, ifname: dev, dst, flags: ['self'], state: 'permanent' }));
}

/** The whole state as the commands that would make it, sorted. */
export function commandText({ links, routes, neighbours, fdb }: KernelState): string {
  const lines = [
    ...links.flatMap((link) => [
      [`link ${link.name} ${link.mac} mtu ${link.mtu} ${link.up ? 'up' : 'down'}`, vxlanText(link)].join(''),
      ...link.addresses.map((address) => `ip address add ${address} dev ${link.name}`),
    ]),
    ...routes.map((row) =>
      [
        'ip route add',
        ...(row.type === 'unicast' ? [] : [row.type]),
        row.destination,
        ...(row.via === null ? [] : ['via', row.via]),
        ...(row.dev === null ? [] : ['dev', row.dev]),
        ...(row.src === null ? [] : ['src', row.src]),
        ...(row.onlink ? ['onlink'] : []),
        `proto ${row.protocol} metric ${row.metric}`,
      ].join(' '),
    ),
    ...neighbours.map(
      ({ address, mac, dev, permanent }) =>
        `ip neigh add ${address} lladdr ${mac} dev ${dev}${permanent ? ' nud permanent' : ''}`,
    ),
    ...fdb.map(({ mac, dev, dst }) => `bridge fdb add ${mac} dev ${dev} dst ${dst}`),
  ];
  return `${lines.sort().join('\n')}\n`;
}

function vxlanText({ vxlan, lower, mode }: KernelState['links'][number]): string {
  if (vxlan === null) return '';
  const { id, local, port, learning } = vxlan;
  return ` vxlan id ${id} local ${local} dev ${lower} dstport ${port} ${learning ? 'learning' : 'nolearning'} addrgenmode ${mode}`;
}
