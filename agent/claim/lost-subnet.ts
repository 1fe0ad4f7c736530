/** What a node that lost its subnet has to be told: which interface still has the old address, and what to do. */
import { type Cidr, contains, tryParseCidr } from '../../shared/domain/cidr.ts';
import type { HostLink } from '../identity/host-network.ts';

export interface OldAddress {
  readonly dev: string;
  readonly isBridge: boolean;
  /** With its length, such as 10.244.3.1/24. */
  readonly address: string;
}

/** Addresses of the host's interfaces inside `subnet`; those of our own tunnel devices follow the lease by themselves. */
export function oldAddresses(links: readonly HostLink[], subnet: Cidr): readonly OldAddress[] {
  return links
    .filter(({ name }) => !/^lw6?-[0-9]+$/.test(name))
    .flatMap(({ name, kind, addresses }) =>
      addresses
        .filter(({ address, family }) => {
          const single = tryParseCidr(`${address}/${family === 'ipv4' ? 32 : 128}`);
          return single !== null && contains(subnet, single);
        })
        .map(({ address, prefix }) => ({ dev: name, isBridge: kind === 'bridge', address: `${address}/${prefix}` })),
    );
}

/** One line; `now` is the subnet that the node holds instead. */
export function lostMessage(lost: Cidr, now: Cidr, old: readonly OldAddress[]): string {
  const news = `${lost.text} is no longer this node's, which now holds ${now.text}`;
  if (old.length === 0) return `${news}; no interface has an address of the old one`;
  const where = old.map(({ dev, address }) => `${dev} still has ${address}`).join(', ');
  const commands = [
    ...new Set(
      old.map(({ dev, isBridge, address }) =>
        isBridge ? `ip link delete ${dev}` : `ip address delete ${address} dev ${dev}`,
      ),
    ),
  ];
  return (
    `${news}: ${where}, and nobody can reach containers with addresses of it. Remedy: drain the node, stop its ` +
    `containers, run \`${commands.join('; ')}\`, and start them again: the CNI plugin makes the bridge anew from subnet.env`
  );
}
