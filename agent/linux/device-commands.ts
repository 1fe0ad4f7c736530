/** How a vxlan device is made, and how one that differs is repaired: in place where the kernel can, else made anew. */
import type { DeviceSpec } from '../../shared/domain/node-rows.ts';
import type { Link } from './read-links.ts';

export interface DeviceChange {
  /** `recreate`: every row on the device is lost and has to be written again. */
  readonly action: 'create' | 'repair' | 'recreate';
  readonly commands: readonly (readonly string[])[];
  /** What differed, for the log. */
  readonly why: string;
}

/** Null: as it shall be. */
export function deviceChange(spec: DeviceSpec, existing: Link | null): DeviceChange | null {
  if (existing === null) return { action: 'create', commands: createCommands(spec), why: 'missing' };
  const fixed = fixedDifferences(spec, existing);
  if (fixed.length > 0) {
    const commands = [['ip', 'link', 'del', spec.name], ...createCommands(spec)];
    return { action: 'recreate', commands, why: fixed.join(', ') };
  }
  const repairs = repairCommands(spec, existing);
  if (repairs.length === 0) return null;
  return {
    action: 'repair',
    commands: repairs.map(({ command }) => command),
    why: repairs.map(({ why }) => why).join(', '),
  };
}

export function createCommands(spec: DeviceSpec): readonly (readonly string[])[] {
  const { name } = spec;
  return [
    // The MAC belongs into the creating call: systemd-udevd rewrites the one of a device that was given none.
    [
      ...['ip', 'link', 'add', name, 'address', spec.mac, 'mtu', String(spec.mtu), 'type', 'vxlan'],
      ...['id', String(spec.vni), 'local', spec.local, 'dev', spec.lower, 'dstport', String(spec.port)],
      spec.learning ? 'learning' : 'nolearning',
      ...(spec.gbp ? ['gbp'] : []),
    ],
    // In the creating call the kernel answers "Address family not supported by protocol".
    ['ip', 'link', 'set', name, 'addrgenmode', 'none'],
    ['ip', 'link', 'set', name, 'up'],
    addressCommand(spec),
  ];
}

/** Without `nodad` an IPv6 address is tentative for one or two seconds, and nothing leaves from it. */
function addressCommand({ name, family, address }: DeviceSpec): readonly string[] {
  return ['ip', 'address', 'add', address, 'dev', name, ...(family === 'ipv6' ? ['nodad'] : [])];
}

/** What a vxlan device keeps for its life: VNI, port, the group policy bit, and its namespace's lower link. */
function fixedDifferences(spec: DeviceSpec, { vxlan }: Link): string[] {
  if (vxlan === null) return [];
  return [
    ...(vxlan.vni === spec.vni ? [] : [`VNI ${vxlan.vni}`]),
    ...(vxlan.port === spec.port ? [] : [`port ${vxlan.port}`]),
    ...(vxlan.gbp === spec.gbp ? [] : [`gbp ${vxlan.gbp ? 'on' : 'off'}`]),
    ...(vxlan.group === null ? [] : [`remote ${vxlan.group}`]),
    // Another family of the outer address means another socket.
    ...(vxlan.local === null || vxlan.local.includes(':') === spec.local.includes(':') ? [] : [`local ${vxlan.local}`]),
  ];
}

function repairCommands(spec: DeviceSpec, link: Link): { command: readonly string[]; why: string }[] {
  const { name } = spec;
  const repairs: { command: readonly string[]; why: string }[] = [];
  const repair = (why: string, ...command: string[]): void => void repairs.push({ command, why });
  const { vxlan } = link;
  const tunnel = ['type', 'vxlan', 'id', String(spec.vni)];
  if (vxlan !== null && (vxlan.local !== spec.local || link.lower !== spec.lower || vxlan.learning !== spec.learning)) {
    const learning = spec.learning ? 'learning' : 'nolearning';
    const why = `local ${vxlan.local} dev ${link.lower}${vxlan.learning ? ' learning' : ''}`;
    repair(why, 'ip', 'link', 'set', name, ...tunnel, 'local', spec.local, 'dev', spec.lower, learning);
  }
  if (link.mac !== spec.mac) repair(`MAC ${link.mac}`, 'ip', 'link', 'set', name, 'address', spec.mac);
  if (link.mtu !== spec.mtu) repair(`MTU ${link.mtu}`, 'ip', 'link', 'set', name, 'mtu', String(spec.mtu));
  // Not shown: another iproute2; the addresses below tell in the end.
  if (link.addressMode !== null && link.addressMode !== 'none') {
    repair(`addrgenmode ${link.addressMode}`, 'ip', 'link', 'set', name, 'addrgenmode', 'none');
  }
  if (!link.up) repair('down', 'ip', 'link', 'set', name, 'up');
  const present = link.addresses.map(({ address, prefix }) => `${address}/${prefix}`);
  if (!present.includes(spec.address)) repair(`no address ${spec.address}`, ...addressCommand(spec));
  for (const other of present) {
    if (other !== spec.address) repair(`address ${other}`, 'ip', 'address', 'del', other, 'dev', name);
  }
  return repairs;
}
