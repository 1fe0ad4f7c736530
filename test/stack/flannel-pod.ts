/** A pod that flannel's CNI plugin sets up from the subnet.env of our agent, and what is left once it has gone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, type Ending } from '../kernel/lab/at-end.ts';
import { inNamespace, ip, run } from '../kernel/lab/command.ts';
import { Endpoint } from '../kernel/lab/endpoint.ts';
import { makeNamespace, removeNamespace } from '../kernel/lab/namespaces.ts';
import type { Node } from '../kernel/lab/node.ts';
import { callPlugin, type PluginAnswer } from './cni-plugin.ts';

export interface FlannelPod {
  readonly node: Node;
  readonly namespace: string;
  readonly endpoint: Endpoint;
  /** With their length. */
  readonly ips: PluginAnswer['ips'];
  /** Without. */
  readonly addresses: readonly string[];
}

const dataDir = (node: Node) => join(node.folder, 'cni-flannel');
/** Where host-local keeps what it has given away. */
export const ipamDir = (node: Node): string => join(node.folder, 'cni-ipam');

/** As in the manifest that flannel is installed with, but for the folders, which are the test's own. */
const config = (node: Node) => ({
  cniVersion: '0.3.1',
  name: 'cbr0',
  type: 'flannel',
  subnetFile: node.subnetEnvPath,
  dataDir: dataDir(node),
  ipam: { dataDir: ipamDir(node) },
  delegate: { hairpinMode: true, isDefaultGateway: true },
});

export async function addFlannelPod(t: Ending, node: Node): Promise<FlannelPod> {
  const namespace = await makeNamespace(`${node.spec.name}-cni`);
  atEnd(t, () => removeNamespace(namespace));
  await ip(namespace, 'link set lo up');
  const call = { node: node.namespace, pod: namespace, config: config(node) };
  const { ips } = await callPlugin({ command: 'ADD', ...call });
  const endpoint = await Endpoint.start(namespace);
  atEnd(t, () => endpoint.close());
  return { node, namespace, endpoint, ips, addresses: ips.map(({ address }) => address.split('/')[0] ?? '') };
}

export async function removeFlannelPod({ node, namespace }: FlannelPod): Promise<void> {
  await callPlugin({ command: 'DEL', node: node.namespace, pod: namespace, config: config(node) });
}

/** What flannel's plugin made of subnet.env, handed to `bridge` and keeps for DEL. */
export function delegateOf({ node, namespace }: FlannelPod): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(dataDir(node), namespace), 'utf8'));
}

export interface Traces {
  /** The pod's ends of pairs; some kernels put tunnel devices into every namespace. */
  readonly links: readonly string[];
  /** Ports of the node's bridge. */
  readonly ports: readonly string[];
  /** Containers that flannel's plugin keeps a configuration of. */
  readonly kept: readonly string[];
  /** Addresses that host-local has given away. */
  readonly reserved: readonly string[];
  /** Chains and rules of `bridge` in the node's tables nat. */
  readonly masquerade: readonly string[];
}

export const noTraces: Traces = { links: [], ports: [], kept: [], reserved: [], masquerade: [] };

/** Of a pod, on a node that has no other. */
export async function tracesOf({ node, namespace }: FlannelPod): Promise<Traces> {
  const names = async (where: string, which: string) => {
    // Without a match `ip -j` prints nothing, or an empty object in an array.
    const links = JSON.parse((await ip(where, `-j link show ${which}`)) || '[]') as { ifname?: string }[];
    return links.flatMap(({ ifname }) => ifname ?? []);
  };
  const masquerade = [];
  for (const tool of ['iptables-save', 'ip6tables-save']) {
    const rules = await run(inNamespace(node.namespace, [tool, '-t', 'nat']));
    masquerade.push(...rules.split('\n').filter((line) => line.includes('CNI-')));
  }
  return {
    links: await names(namespace, 'type veth'),
    ports: await names(node.namespace, 'master cni0'),
    kept: readdirSync(dataDir(node)),
    reserved: readdirSync(join(ipamDir(node), 'cbr0'))
      .filter((name) => !/^(lock|last_reserved_ip\.\d)$/.test(name))
      .sort(),
    masquerade,
  };
}
