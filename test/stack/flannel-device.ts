/** flannel's vxlan device on a node, made by hand as flanneld's backend makes it, with the three rows of one peer. */
import { ipBatch, run, setSysctls } from '../kernel/lab/command.ts';
import type { Node } from '../kernel/lab/node.ts';

export type Family = 'IPv4' | 'IPv6';

/** What flanneld reads in a peer's lease, in one family. */
interface Lease {
  readonly subnet: string;
  readonly base: string;
  readonly node: string;
}

function leaseOf({ spec, nodeIp }: Node, family: Family): Lease {
  const subnet = family === 'IPv4' ? spec.lease : (spec.ipv6Lease ?? '');
  const node = family === 'IPv4' ? nodeIp : (spec.ipv6 ?? '').replace(/\/.*/, '');
  return { subnet, base: subnet.replace(/\/.*/, ''), node };
}

const nameOf = (family: Family) => (family === 'IPv4' ? 'flannel.1' : 'flannel-v6.1');

/**
 * No learning; the device's address is the subnet's base, so is the gateway of a peer's subnet, in both families.
 *
 * @param mac The device's own: flanneld draws one for each device.
 */
export async function makeFlannelDevice(node: Node, peer: Node, family: Family, mac: string): Promise<void> {
  const [own, other, name] = [leaseOf(node, family), leaseOf(peer, family), nameOf(family)];
  // 50 less than the uplink's for IPv6 too, whose overhead is 70: the kernel makes 8931 of it.
  const device = `link add ${name} address ${mac} mtu 8951 type vxlan id 1 dev eth0 local ${own.node} dstport 8472`;
  await ipBatch(node.namespace, [`${device} nolearning`]);
  await setSysctls(node.namespace, { [`net/ipv6/conf/${name}/accept_ra`]: 0 });
  await ipBatch(node.namespace, [
    `address add ${own.base}/${family === 'IPv4' ? 32 : 128} dev ${name}`,
    `link set ${name} up`,
    `neighbour replace ${other.base} lladdr ${peer.spec.vtepMac} dev ${name} nud permanent`,
  ]);
  await entry(node, 'replace', peer, family);
  await ipBatch(node.namespace, [`route replace ${other.subnet} via ${other.base} dev ${name} onlink`]);
}

/** Where the peer's inner MAC is: without it nothing enters the tunnel. */
export const forgetPeer = (node: Node, peer: Node, family: Family): Promise<void> => entry(node, 'del', peer, family);

async function entry(node: Node, verb: 'replace' | 'del', peer: Node, family: Family): Promise<void> {
  const where = ['dev', nameOf(family), 'dst', leaseOf(peer, family).node];
  await run(['bridge', '-n', node.namespace, 'fdb', verb, peer.spec.vtepMac, ...where, 'self', 'permanent']);
}
