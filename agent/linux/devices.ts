/** Our vxlan devices: made, compared, repaired. */
import { isOurDeviceName } from '../../shared/domain/kernel-rows.ts';
import type { DeviceSpec } from '../../shared/domain/node-rows.ts';
import { createCommands, deviceChange } from './device-commands.ts';
import { type Link, readLinks } from './read-links.ts';
import { CommandFailed, type Runner } from './runner.ts';

export interface DeviceResult {
  /** As read after all changes. */
  readonly links: readonly Link[];
  readonly problems: readonly string[];
  readonly changes: number;
}

/** Ours: by name and kind, whatever the other fields. */
export function isOurDevice(link: Link): boolean {
  return isOurDeviceName(link.name) && link.kind === 'vxlan';
}

export function ourDevices(links: readonly Link[]): ReadonlySet<string> {
  return new Set(links.filter(isOurDevice).map(({ name }) => name));
}

/** One device that cannot be made stops no other. */
export async function ensureDevices(
  runner: Runner,
  specs: readonly DeviceSpec[],
  links: readonly Link[],
  log: (message: string) => void,
): Promise<DeviceResult> {
  const problems: string[] = [];
  let changes = 0;
  for (const spec of specs) {
    const existing = links.find(({ name }) => name === spec.name) ?? null;
    if (existing !== null && !isOurDevice(existing)) {
      problems.push(
        `${spec.name} is a ${existing.kind ?? 'plain'} device and not ours: there is no tunnel until it is gone`,
      );
      continue;
    }
    const change = deviceChange(spec, existing);
    if (change === null) continue;
    log(`${spec.name}: ${change.action} (${change.why})`);
    const outcome = await carryOut(runner, spec, change.commands);
    changes += outcome.changes;
    if (outcome.error === null) continue;
    const rival = rivalOf(outcome.error, spec, links);
    // One of ours that only lingers: what is wanted now comes first.
    if (rival !== null && isOurDevice(rival) && !specs.some(({ name }) => name === rival.name)) {
      log(`${rival.name} is in the way of ${spec.name} and is deleted`);
      await runner.run(['ip', 'link', 'del', rival.name]);
      const again = await carryOut(runner, spec, createCommands(spec));
      changes += 1 + again.changes;
      if (again.error !== null) problems.push(explain(again.error, spec, rival));
      continue;
    }
    problems.push(explain(outcome.error, spec, rival));
  }
  if (changes === 0) return { links, problems, changes };
  const after = await readLinks(runner);
  for (const spec of specs) {
    const link = after.find(({ name }) => name === spec.name);
    if (link === undefined || !isOurDevice(link) || link.mac === spec.mac) continue;
    problems.push(`${spec.name}: the MAC is ${link.mac} instead of ${spec.mac}: something on this host rewrites it`);
  }
  return { links: after, problems, changes };
}

interface Outcome {
  readonly changes: number;
  readonly error: CommandFailed | null;
}

/** A conflict of ports shows only when the device is set up; what was just made must not stay behind then. */
async function carryOut(runner: Runner, spec: DeviceSpec, commands: readonly (readonly string[])[]): Promise<Outcome> {
  let created = false;
  let changes = 0;
  try {
    for (const command of commands) {
      try {
        await runner.run(command);
      } catch (error) {
        if (isNeedless(command, error)) continue;
        throw error;
      }
      changes += 1;
      if (command[1] === 'link' && command[2] === 'add') created = true;
    }
    return { changes, error: null };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    if (created) await runner.run(['ip', 'link', 'del', spec.name]);
    return { changes, error };
  }
}

/** Without IPv6 in the kernel (`ipv6.disable=1`) no link makes itself an address. */
function isNeedless(command: readonly string[], error: unknown): boolean {
  return (
    command.includes('addrgenmode') &&
    error instanceof CommandFailed &&
    /address family not supported/i.test(error.stderr)
  );
}

function explain(error: CommandFailed, spec: DeviceSpec, rival: Link | null): string {
  if (/unknown device type|operation not supported/i.test(error.stderr) && error.argv[2] === 'add') {
    return `${spec.name}: this kernel does not know the link type vxlan (modprobe vxlan)`;
  }
  if (rival === null) return `${spec.name}: ${error.message}`;
  const { vni, port } = rival.vxlan ?? {};
  return `${spec.name} cannot be made: vxlan device ${rival.name} has VNI ${vni} on port ${port} already`;
}

/** Who has our VNI on our port, else who has our port. */
function rivalOf(error: CommandFailed, spec: DeviceSpec, links: readonly Link[]): Link | null {
  if (!/already exists|already in use/i.test(error.stderr)) return null;
  // Sockets of the two families do not meet.
  const isIpv6 = spec.family === 'ipv6';
  const samePort = links.filter(
    ({ name, vxlan }) =>
      name !== spec.name && vxlan?.port === spec.port && (vxlan.local ?? '').includes(':') === isIpv6,
  );
  return samePort.find(({ vxlan }) => vxlan?.vni === spec.vni) ?? samePort[0] ?? null;
}
