/** The routes of table main, of both families. */
import { bitsOf, type Family, tryParseAddress, tryParseCidr } from '../../shared/domain/cidr.ts';
import type { KernelRoute } from '../../shared/domain/kernel-rows.ts';
import { type Members, numberIn, readDump, textIn, textsIn } from './dump.ts';
import type { Runner } from './runner.ts';

/**
 * Unfiltered: `ip -j route show proto 76` leaves the protocol out of what it prints. Without a filter `ip` shows table main.
 */
export async function readRoutes(runner: Runner): Promise<readonly KernelRoute[]> {
  const [ipv4, ipv6] = await Promise.all(
    (['ipv4', 'ipv6'] as const).map(async (family) => {
      const dump = await readDump(runner, ['ip', '-N', '-json', family === 'ipv4' ? '-4' : '-6', 'route', 'show']);
      return dump.flatMap((members) => parseRoute(members, family) ?? []);
    }),
  );
  return [...(ipv4 ?? []), ...(ipv6 ?? [])];
}

/** RTN_UNICAST and RTN_UNREACHABLE of linux/rtnetlink.h; `-N` prints numbers in newer versions of iproute2. */
const types: Readonly<Record<string, KernelRoute['type']>> = {
  '1': 'unicast',
  unicast: 'unicast',
  '7': 'unreachable',
  unreachable: 'unreachable',
};
/** RTPROT_BOOT, which `ip` leaves out. */
const bootProtocol = 3;
const specialMembers = ['nexthops', 'nhid', 'encap', 'metrics'];

/** Null for what is no row of table main. */
export function parseRoute(members: Members, family: Family): KernelRoute | null {
  const table = textIn(members, 'table');
  if (table !== null && table !== 'main' && table !== '254') return null;
  const destination = destinationOf(textIn(members, 'dst'), family);
  if (destination === null) return null;
  const type = types[textIn(members, 'type') ?? 'unicast'] ?? 'other';
  const via = textIn(members, 'gateway');
  return {
    family,
    type,
    destination,
    via: via && (tryParseAddress(via)?.text ?? via),
    // The kernel shows `lo` for IPv6 rows that lead nowhere.
    dev: type === 'unicast' ? textIn(members, 'dev') : null,
    src: textIn(members, 'prefsrc'),
    metric: numberIn(members, 'metric') ?? 0,
    tos: numberIn(members, 'tos') ?? 0,
    protocol: numberIn(members, 'protocol') ?? bootProtocol,
    onlink: textsIn(members, 'flags').includes('onlink'),
    special: specialMembers.some((key) => members[key] !== undefined) || 'via' in members,
  };
}

function destinationOf(text: string | null, family: Family): string | null {
  if (text === null) return null;
  if (text === 'default') return family === 'ipv4' ? '0.0.0.0/0' : '::/0';
  return tryParseCidr(text.includes('/') ? text : `${text}/${bitsOf(family)}`)?.text ?? null;
}
