/** What others have in a node's kernel: planted before the agent starts, and read back without what is ours or the pods'. */
import { inNamespace, ip, ipBatch, run } from '../lab/command.ts';

/** Rows of the kinds that an agent writes, and a table and a rule of somebody else's. */
export async function plantForeignRows(namespace: string): Promise<void> {
  await ipBatch(namespace, [
    'link add vxlan9 type vxlan id 9 dstport 4789 dev eth0 nolearning',
    'link set vxlan9 addrgenmode none up',
    'route add blackhole 203.0.113.0/24 metric 2076',
    'route add 198.51.100.0/24 dev vxlan9 proto 77',
    'route add unreachable 10.244.250.0/24 proto static',
    'route add blackhole 203.0.113.0/24 table 77',
    'rule add pref 77 to 203.0.113.7 lookup 77',
    'neigh replace 198.51.100.9 lladdr 02:aa:00:00:00:09 dev vxlan9 nud permanent',
  ]);
  await run(['bridge', '-n', namespace, 'fdb', 'append', '02:aa:00:00:00:09', 'dev', 'vxlan9', 'dst', '10.0.9.9']);
  await run(
    inNamespace(namespace, ['nft', '-f', '-']),
    'table inet theirs {\n chain own {\n type filter hook input priority 5;\n }\n}\n',
  );
}

/** Sorted lines: links, addresses, routes of all tables, rules, neighbours, FDB entries, nft. */
export async function foreignRows(namespace: string): Promise<string> {
  const texts = await Promise.all([
    ip(namespace, '-o address show'),
    ip(namespace, '-N route show table all'),
    ip(namespace, 'rule show'),
    ip(namespace, 'neigh show nud permanent'),
    run(['bridge', '-n', namespace, 'fdb', 'show']),
    run(inNamespace(namespace, ['nft', 'list', 'ruleset'])),
  ]);
  const lines = texts.flatMap((text) => withoutOurNft(text).split('\n')).map((line) => line.trim());
  // An interface's number is that of its making, and says nothing.
  const bare = lines.map((line) => line.replace(/^\d+: /, ''));
  return (
    bare
      .filter((line) => line !== '' && !/\bproto 76\b|\b(cni0|pod0|lw-1)\b/.test(line))
      // The kernel gives each link its own link-local rows, a moment after the link.
      .filter((line) => !/\b(fe80:|ff00:)/.test(line))
      .sort()
      .join('\n')
  );
}

const withoutOurNft = (text: string): string => text.replaceAll(/^table \S+ leaseway \{\n(?:(?!\}).*\n)*\}$/gm, '');
