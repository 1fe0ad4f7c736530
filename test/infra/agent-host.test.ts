import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { test } from 'node:test';

const folder = new URL('../../infra/agent/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const ourDevices = ['lw-1', 'lw6-1', 'lw-16777215'];
const hostDevices = ['eth0', 'ens5', 'lwip0', 'cni0', 'wlan0'];

/** The value of a setting, from its section. */
function setting(text: string, section: string, key: string): string | undefined {
  const body = text.split(/^(?=\[)/m).find((part) => part.startsWith(`[${section}]`)) ?? '';
  return new RegExp(`^${key}=(.*)$`, 'm').exec(body)?.[1];
}

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

test('systemd finds nothing to say against the unit', { skip: !hasAnalyze && 'needs systemd-analyze' }, () => {
  const path = new URL('systemd/leaseway-agent.service', folder).pathname;
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

test('the unit is told of readiness by another process, and may do what the agent does', () => {
  const unit = read('systemd/leaseway-agent.service');
  assert.equal(setting(unit, 'Service', 'Type'), 'notify');
  assert.equal(setting(unit, 'Service', 'NotifyAccess'), 'all');
  assert.equal(setting(unit, 'Service', 'CapabilityBoundingSet'), 'CAP_NET_ADMIN');
  assert.match(setting(unit, 'Service', 'RestrictAddressFamilies') ?? '', /AF_UNIX.*AF_NETLINK/);
  assert.equal(setting(unit, 'Service', 'ProtectKernelTunables'), undefined, 'sysctls are written');
});

test('L2: networkd leaves foreign routes alone, and the file says in which versions', () => {
  const text = read('systemd-networkd/10-leaseway.conf');
  assert.equal(setting(text, 'Network', 'ManageForeignRoutes'), 'no');
  assert.match(text, /^# .*\b246\b/m);
  assert.match(text, /^# .*\b249\b.*\n.*20201/m);
});

for (const [name, file, section, key] of [
  ['networkd', 'systemd-networkd/10-leaseway.network', 'Match', 'Name'],
  ['udevd', 'systemd-networkd/10-leaseway.link', 'Match', 'OriginalName'],
  ['L3: NetworkManager', 'networkmanager/10-leaseway.conf', 'keyfile', 'unmanaged-devices'],
] as const) {
  test(`${name} is kept off our devices, and off no others`, () => {
    const patterns = (setting(read(file), section, key) ?? '')
      .split(/[ ;]/)
      .map((text) => text.replace('interface-name:', ''));
    const isMeant = (device: string) => patterns.some((pattern) => matchesGlob(device, pattern));
    assert.deepEqual(ourDevices.filter(isMeant), ourDevices);
    assert.deepEqual(hostDevices.filter(isMeant), []);
  });
}
