/** What a namespace's kernel holds, as texts that can be compared. */
import { inNamespace, ip, run } from './command.ts';

const sorted = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .sort()
    .join('\n');

/** Table main of both families without the link-local rows of each link, in the kernel's own words. */
export async function mainRoutes(namespace: string): Promise<string> {
  const [ipv4, ipv6] = [await ip(namespace, 'route show table main'), await ip(namespace, '-6 route show table main')];
  const lines = [...ipv4.split('\n'), ...ipv6.split('\n')].map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/^(fe80::\/64|ff00::\/8|multicast) /.test(line)).join('\n');
}

/** Rows of the agent: protocol 76, those of both families. */
export async function ourRoutes(namespace: string): Promise<readonly string[]> {
  return (await mainRoutes(namespace)).split('\n').filter((line) => line.includes(' proto 76 '));
}

export async function permanentNeighbours(namespace: string): Promise<readonly string[]> {
  return sorted(await ip(namespace, 'neigh show nud permanent'))
    .split('\n')
    .filter((line) => line !== '');
}

/** FDB entries of our own devices, but for what the kernel keeps for multicast. */
export async function ourFdb(namespace: string): Promise<readonly string[]> {
  const text = await run(['bridge', '-n', namespace, 'fdb', 'show']);
  return sorted(text)
    .split('\n')
    .filter((line) => / dev lw6?-/.test(line) && line.includes(' dst '));
}

/** All of it that a golden file shows. */
export async function nodeTables(namespace: string): Promise<string> {
  const links = (await ip(namespace, '-d -o link show type vxlan'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const field = (pattern: RegExp) => pattern.exec(line)?.[0] ?? '';
      return [
        field(/lw6?-\d+/),
        field(/mtu \d+/),
        field(/link\/ether \S+/),
        field(/vxlan id \d+/),
        field(/local6? \S+/),
        field(/dev \S+/),
        field(/dstport \d+/),
        field(/nolearning/),
      ].join(' ');
    });
  const sections: readonly (readonly [string, string])[] = [
    ['devices', links.join('\n')],
    ['routes', await mainRoutes(namespace)],
    ['neighbours', (await permanentNeighbours(namespace)).join('\n')],
    ['fdb', (await ourFdb(namespace)).join('\n')],
  ];
  return sections.map(([title, text]) => `${title}\n${text.replaceAll(/^(?=.)/gm, '  ')}`).join('\n');
}

/** Everything that `agent cleanup` must leave as it was before the first start. */
export async function wholeState(namespace: string): Promise<string> {
  const sysctls =
    "grep -rs '' /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf /proc/sys/net/ipv6/conf | grep -v stable_secret";
  const parts = await Promise.all([
    ip(namespace, '-d link show'),
    ip(namespace, 'address show'),
    ip(namespace, '-N route show table all'),
    ip(namespace, '-N -6 route show table all'),
    ip(namespace, 'rule show'),
    ip(namespace, 'neigh show nud permanent'),
    run(['bridge', '-n', namespace, 'fdb', 'show']),
    run(inNamespace(namespace, ['nft', 'list', 'ruleset'])),
    run(inNamespace(namespace, ['sh', '-c', `${sysctls} || true`])),
  ]);
  // Lifetimes and timers run by themselves.
  return parts.map((part) => part.replaceAll(/(\w+_timer|expires) +\S+/g, '$1')).join('\n');
}

export async function linkOf(
  namespace: string,
  name: string,
): Promise<
  | { readonly ifindex: number; readonly address: string; readonly mtu: number; readonly flags: readonly string[] }
  | undefined
> {
  const [link] = JSON.parse(await ip(namespace, `-j link show dev ${name}`).catch(() => '[]'));
  return link;
}
