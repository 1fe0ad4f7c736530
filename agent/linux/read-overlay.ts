/** Neighbours and FDB entries of our own devices. */

import { tryParseAddress } from '../../shared/domain/cidr.ts';
import type { FdbEntry, Neighbour } from '../../shared/domain/kernel-rows.ts';
import { type Members, readDump, textIn, textsIn } from './dump.ts';
import type { Runner } from './runner.ts';

/**
 * Unfiltered: `neigh show dev X` leaves the device out of what it prints, and fails while X does not exist.
 *
 * @param devices Names of our own devices; what a foreign device of such a name holds is not ours.
 */
export async function readNeighbours(runner: Runner, devices: ReadonlySet<string>): Promise<readonly Neighbour[]> {
  const dump = await readDump(runner, ['ip', '-N', '-json', 'neigh', 'show']);
  return dump.flatMap((members) => parseNeighbour(members) ?? []).filter(({ dev }) => devices.has(dev));
}

export async function readFdb(runner: Runner, devices: ReadonlySet<string>): Promise<readonly FdbEntry[]> {
  const dump = await readDump(runner, ['bridge', '-json', 'fdb', 'show']);
  return dump.flatMap((members) => parseFdbEntry(members) ?? []).filter(({ dev }) => devices.has(dev));
}

export function parseNeighbour(members: Members): Neighbour | null {
  const dev = textIn(members, 'dev');
  const address = tryParseAddress(textIn(members, 'dst'));
  if (dev === null || address === null) return null;
  return {
    dev,
    address: address.text,
    mac: textIn(members, 'lladdr')?.toLowerCase() ?? null,
    permanent: textsIn(members, 'state').includes('PERMANENT'),
  };
}

/** What is no remote of the tunnel is left out: entries of a bridge above it, and what a learning device has learned. */
export function parseFdbEntry(members: Members): FdbEntry | null {
  const dev = textIn(members, 'ifname');
  const mac = textIn(members, 'mac')?.toLowerCase() ?? null;
  if (dev === null || mac === null || textIn(members, 'master') !== null) return null;
  if (!['permanent', 'static'].includes(textIn(members, 'state') ?? '')) return null;
  const dst = textIn(members, 'dst');
  return {
    dev,
    mac,
    dst: dst && (tryParseAddress(dst)?.text ?? dst),
    special: ['port', 'vni', 'via', 'nhid', 'src_vni'].some((key) => members[key] !== undefined),
  };
}
