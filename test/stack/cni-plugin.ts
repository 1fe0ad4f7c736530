/** The reference CNI plugins, called as a container runtime calls them. */
import { existsSync } from 'node:fs';
import { finish, inNamespace } from '../kernel/lab/command.ts';

/** Where Debian's `containernetworking-plugins` puts them. */
const folder = '/usr/lib/cni';

export const pluginsAreThere = (): boolean => existsSync(`${folder}/bridge`);

export interface PluginCall {
  readonly command: 'ADD' | 'CHECK' | 'DEL';
  /** The node's namespace and the pod's. */
  readonly node: string;
  readonly pod: string;
  readonly config: object;
}

/** What ADD answers, as far as it is looked at. */
export interface PluginAnswer {
  readonly ips: readonly { readonly address: string }[];
}

/** @returns what the plugin answered; rejects with what it refused */
export async function callPlugin({ command, node, pod, config }: PluginCall): Promise<PluginAnswer> {
  const env = {
    CNI_COMMAND: command,
    CNI_CONTAINERID: pod,
    CNI_NETNS: `/run/netns/${pod}`,
    CNI_IFNAME: 'eth0',
    CNI_PATH: folder,
    PATH: process.env['PATH'] ?? '',
  };
  const { status, stdout, stderr } = await finish(inNamespace(node, [`${folder}/bridge`]), JSON.stringify(config), env);
  if (status !== 0) throw new Error(`${command} ${pod}: ${stdout}${stderr}`);
  return stdout.trim() === '' ? { ips: [] } : JSON.parse(stdout);
}

/**
 * What flannel's plugin makes of a subnet.env and hands to `bridge`, with the delegate's fields that flannel's own manifest
 * for Kubernetes sets.
 */
export function flannelDelegate(subnetEnv: string, dataDir: string): object {
  const env = new Map(
    subnetEnv
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  );
  const get = (key: string) => {
    const value = env.get(key);
    if (value === undefined) throw new Error(`subnet.env has no ${key}`);
    return value;
  };
  // The plugin takes the range from the address with its length: 10.244.1.1/24 is 10.244.1.0/24.
  const families = env.has('FLANNEL_IPV6_SUBNET') ? ['FLANNEL', 'FLANNEL_IPV6'] : ['FLANNEL'];
  return {
    cniVersion: '1.0.0',
    name: 'cbr0',
    type: 'bridge',
    mtu: Number(get('FLANNEL_MTU')),
    ipMasq: get('FLANNEL_IPMASQ') === 'false',
    isGateway: true,
    isDefaultGateway: true,
    hairpinMode: true,
    ipam: {
      type: 'host-local',
      dataDir,
      ranges: families.map((family) => [{ subnet: get(`${family}_SUBNET`).replace(/(\.|:)1\/(\d+)$/, networkBase) }]),
      routes: families.flatMap((family) =>
        get(`${family}_NETWORK`)
          .split(',')
          .map((dst) => ({ dst })),
      ),
    },
  };
}

const networkBase = (_: string, separator: string, length: string) =>
  `${separator}${separator === '.' ? '0' : ''}/${length}`;
