/** The host's links and their addresses, in one reading. */
import { bitsOf, type Family, tryParseAddress } from '../../shared/domain/cidr.ts';
import { isMembers, type Members, numberIn, readDump, textIn, textsIn } from './dump.ts';
import type { Runner } from './runner.ts';

export interface LinkAddress {
  readonly family: Family;
  /** Canonical. */
  readonly address: string;
  readonly prefix: number;
  /** Host-wide, neither link-local nor deprecated nor temporary. */
  readonly global: boolean;
  readonly tentative: boolean;
}

interface VxlanLink {
  readonly vni: number | null;
  readonly port: number | null;
  readonly local: string | null;
  readonly learning: boolean;
  readonly gbp: boolean;
  /** A default remote or group: it would flood what has no FDB entry. */
  readonly group: string | null;
}

export interface Link {
  readonly name: string;
  readonly kind: string | null;
  readonly up: boolean;
  readonly mtu: number;
  readonly mac: string | null;
  /** What `addrgenmode` the link has; null: not said. */
  readonly addressMode: string | null;
  /** The lower link's name; null: none, or one in another namespace. */
  readonly lower: string | null;
  readonly vxlan: VxlanLink | null;
  readonly addresses: readonly LinkAddress[];
}

/** Two dumps: only `link show` says `addrgenmode`, only `address show` says addresses. */
export async function readLinks(runner: Runner): Promise<readonly Link[]> {
  const [links, addresses] = await Promise.all([
    readDump(runner, ['ip', '-N', '-json', '-details', 'link', 'show']),
    readDump(runner, ['ip', '-N', '-json', 'address', 'show']),
  ]);
  const infoOf = new Map(addresses.map((members) => [members['ifindex'], members['addr_info']]));
  return links.flatMap((members) => parseLink({ ...members, addr_info: infoOf.get(members['ifindex']) }) ?? []);
}

/** RT_SCOPE_UNIVERSE; `-N` prints the number. */
const globalScopes = ['global', '0'];

export function parseLink(members: Members): Link | null {
  const name = textIn(members, 'ifname');
  if (name === null) return null;
  const info = isMembers(members['linkinfo']) ? members['linkinfo'] : {};
  const kind = textIn(info, 'info_kind');
  const data = isMembers(info['info_data']) ? info['info_data'] : {};
  const addresses = Array.isArray(members['addr_info']) ? members['addr_info'].filter(isMembers) : [];
  return {
    name,
    kind,
    up: textsIn(members, 'flags').includes('UP'),
    mtu: numberIn(members, 'mtu') ?? 0,
    mac: textIn(members, 'address')?.toLowerCase() ?? null,
    addressMode: textIn(members, 'inet6_addr_gen_mode'),
    lower: textIn(data, 'link') ?? textIn(members, 'link'),
    vxlan: kind === 'vxlan' ? parseVxlan(data) : null,
    addresses: addresses.flatMap((address) => parseAddress(address) ?? []),
  };
}

function parseVxlan(data: Members): VxlanLink {
  const local = textIn(data, 'local6') ?? textIn(data, 'local');
  return {
    vni: numberIn(data, 'id'),
    port: numberIn(data, 'port'),
    local: local && (tryParseAddress(local)?.text ?? local),
    learning: data['learning'] !== false,
    gbp: data['gbp'] === true,
    group: textIn(data, 'group') ?? textIn(data, 'group6') ?? textIn(data, 'remote') ?? textIn(data, 'remote6'),
  };
}

function parseAddress(members: Members): LinkAddress | null {
  const address = tryParseAddress(textIn(members, 'local'));
  if (address === null) return null;
  return {
    family: address.family,
    address: address.text,
    prefix: numberIn(members, 'prefixlen') ?? bitsOf(address.family),
    global:
      globalScopes.includes(textIn(members, 'scope') ?? '') &&
      members['deprecated'] !== true &&
      members['temporary'] !== true,
    tentative: members['tentative'] === true,
  };
}
