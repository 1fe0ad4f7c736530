/** CNI plugins, called as a container runtime calls them: flannel's, and the reference plugins that it hands on to. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { finish, inNamespace, run } from '../kernel/lab/command.ts';
import { checkout } from './third-parties.ts';

/** Where run.sh puts flannel's, and Debian's `containernetworking-plugins` the others. */
const folders = { flannel: `${checkout}.venv/cni`, reference: '/usr/lib/cni' };

/** Why the plugins cannot run here; undefined when they can. */
export function missingPlugin(): string | undefined {
  if (!existsSync(`${folders.reference}/bridge`)) return "needs Debian's containernetworking-plugins";
  if (spawnSync('iptables', ['--version']).error) return 'needs the program iptables, by which bridge masquerades';
  if (!existsSync(`${folders.flannel}/flannel`)) return "needs flannel's CNI plugin, which run.sh builds with Go";
  return undefined;
}

/** Such as `CNI flannel plugin v0.9.1, containernetworking-plugins 1.1.1+ds1-3, iptables v1.8.9 (nf_tables)`. */
export async function pluginVersions(): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const flannel = await finish([`${folders.flannel}/flannel`], '', env); // Without a command it says what it is.
  const reference = await finish(['dpkg-query', '--show', 'containernetworking-plugins']);
  const versions = [flannel.stderr, reference.stdout.replace('\t', ' '), await run(['iptables', '--version'])];
  return versions.map((version) => version.trim()).join(', ');
}

export interface PluginCall {
  readonly command: 'ADD' | 'DEL';
  /** The node's namespace and the pod's; the latter is the container's id too. */
  readonly node: string;
  readonly pod: string;
  readonly config: object;
}

/** What ADD answers, as far as it is looked at. */
export interface PluginAnswer {
  readonly ips: readonly { readonly address: string; readonly gateway: string }[];
}

/** @returns what flannel's plugin answered; rejects with what it, or whom it handed on to, refused */
export async function callPlugin({ command, node, pod, config }: PluginCall): Promise<PluginAnswer> {
  const env = {
    CNI_COMMAND: command,
    CNI_CONTAINERID: pod,
    CNI_NETNS: `/run/netns/${pod}`,
    CNI_IFNAME: 'eth0',
    CNI_PATH: Object.values(folders).join(delimiter),
    PATH: process.env['PATH'] ?? '',
  };
  const argv = inNamespace(node, [`${folders.flannel}/flannel`]);
  const { status, stdout, stderr } = await finish(argv, JSON.stringify(config), env);
  if (status !== 0) throw new Error(`${command} ${pod}: ${stdout}${stderr}`);
  return stdout.trim() === '' ? { ips: [] } : JSON.parse(stdout);
}
