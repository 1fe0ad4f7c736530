/** Versions, the runner, settings, the uplink, the masquerade's text. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { masqueradeRules } from '../../../agent/linux/masquerade-rules.ts';
import { neighbourLimitProblems } from '../../../agent/linux/neighbour-limit.ts';
import type { Link } from '../../../agent/linux/read-links.ts';
import { CommandFailed, systemRunner } from '../../../agent/linux/runner.ts';
import { settingsRecord } from '../../../agent/linux/sysctl-record.ts';
import { chooseUplink, NoUplink } from '../../../agent/linux/uplink.ts';
import { toolProblem, versionProblem } from '../../../agent/linux/versions.ts';
import { direct, dualConf, dualLease, factsOf, hostGw, leaseIn, mapOf } from '../../shared/domain/node-world.ts';

test('a version that is too old or another tool is named', async () => {
  assert.equal(versionProblem('ip utility, iproute2-6.1.0, libbpf 1.1.2'), null);
  assert.equal(versionProblem('ip utility, iproute2-5.3.0'), null);
  assert.equal(versionProblem('ip utility, iproute2-ss200127'), null);
  assert.equal(versionProblem('ip utility, iproute2-v5.15.0'), null);
  assert.match(versionProblem('ip utility, iproute2-ss180813') ?? '', /too old.*ss180813.*5\.3/);
  assert.match(versionProblem('ip utility, iproute2-5.2.1') ?? '', /too old/);
  assert.match(versionProblem('BusyBox v1.36.1') ?? '', /not of iproute2.*BusyBox/);
  const missing = { run: async () => undefined, output: async () => Promise.reject(new Error('spawn ip ENOENT')) };
  assert.match((await toolProblem(missing)) ?? '', /iproute2 is needed: spawn ip ENOENT/);
});

test('the runner speaks English, passes input, and an error has the command and what it said', async () => {
  const runner = systemRunner({ ...process.env, LC_ALL: 'de_DE.UTF-8' });
  assert.equal(await runner.output(['sh', '-c', 'echo $LC_ALL']), 'C\n');
  await runner.run(['sh', '-c', 'read line; test "$line" = hello'], 'hello\n');
  await assert.rejects(runner.run(['sh', '-c', 'echo first >&2; echo second >&2; exit 7']), (error) => {
    assert.ok(error instanceof CommandFailed);
    assert.equal(error.exitCode, 7);
    assert.match(error.message, /^sh -c .*: first; second$/);
    return true;
  });
  await assert.rejects(
    runner.run(['no-such-tool-here']),
    (error) => error instanceof CommandFailed && error.exitCode === null,
  );
});

test('a setting is written down with its first value before it is changed, and undone only where it still is ours', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lw-tools-'));
  t.after(() => rm(folder, { recursive: true }));
  const values = new Map([
    ['a', '1'],
    ['b', '0'],
  ]);
  const record = settingsRecord(folder, {
    read: async (path) => values.get(path) ?? null,
    async write(path, value) {
      assert.ok((await readFile(join(folder, 'sysctls.json'), 'utf8')).includes(`"${path}"`));
      values.set(path, value);
    },
  });
  assert.equal(await record.set('a', '2'), true);
  assert.equal(await record.set('a', '2'), false);
  assert.equal(await record.set('none', '2'), false);
  values.set('a', '0');
  await record.set('a', '2');
  await record.set('b', '1');
  values.set('b', '7');
  assert.deepEqual(await record.undo(), ['a is 1 again']);
  assert.deepEqual(
    [...values],
    [
      ['a', '1'],
      ['b', '7'],
    ],
  );
  assert.deepEqual(await record.undo(), []);
});

function link(name: string, ...addresses: readonly string[]): Link {
  const parsed = addresses.map(
    (address) => ({ family: 'ipv4', address, prefix: 24, global: true, tentative: false }) as const,
  );
  return {
    name,
    kind: null,
    up: true,
    mtu: 1500,
    mac: null,
    addressMode: null,
    lower: null,
    vxlan: null,
    addresses: parsed,
  };
}

test('the uplink: as asked for, else where the node address is, else the default route', () => {
  const links = [
    link('lo', '10.9.9.9'),
    link('eth0', '10.0.1.10'),
    link('ens5', '10.0.2.20'),
    { ...link('lw-1', '10.244.1.0'), kind: 'vxlan' },
  ];
  const toDefault = {
    family: 'ipv4',
    type: 'unicast',
    destination: '0.0.0.0/0',
    via: '10.0.1.1',
    dev: 'eth0',
    src: null,
    metric: 0,
    tos: 0,
    protocol: 3,
    onlink: false,
    special: false,
  } as const;
  const none = { ipv4: null, ipv6: null };
  const choose = (wanted: string | null, ipv4: string | null = null, routes = [toDefault]) =>
    chooseUplink(wanted, { ...none, ipv4 }, links, routes).name;
  assert.equal(choose('ens5'), 'ens5');
  assert.equal(choose('ens*'), 'ens5');
  assert.equal(choose('10.0.2.20'), 'ens5');
  assert.equal(choose(null, '10.0.2.20'), 'ens5');
  assert.equal(choose(null, '192.0.2.1'), 'eth0');
  assert.throws(() => choose('wlan0'), NoUplink);
  assert.throws(() => choose(null, '10.9.9.9', []), NoUplink);
  assert.throws(() => choose(null, '10.244.1.0', []), NoUplink);
});

test('the masquerade says to which address, in the order of its meaning', () => {
  const map = mapOf([dualLease(1, 1)], direct, { config: dualConf(direct) });
  const rules = masqueradeRules(map.config, leaseIn(map, 1), factsOf(), ['10.0.0.0/16']);
  assert.equal(
    rules.slice(0, rules.indexOf('table ip6')),
    `table ip leaseway {}
delete table ip leaseway
table ip leaseway {
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    meta mark & 0x4000 == 0x4000 return
    ip saddr 10.244.1.0/24 ip daddr 10.244.0.0/16 return
    ip saddr 10.244.0.0/16 ip daddr 10.244.1.0/24 return
    ip saddr != 10.244.0.0/16 ip daddr 10.244.1.0/24 return
    ip saddr 10.244.0.0/16 ip daddr 10.0.0.0/16 return
    ip saddr 10.244.0.0/16 ip daddr != 224.0.0.0/4 snat to 10.0.1.10 fully-random
    ip saddr != 10.244.0.0/16 ip daddr 10.244.0.0/16 snat to 10.244.1.0 fully-random
  }
}
`,
  );
  assert.match(rules, /ip6 daddr != ff00::\/8 snat to fd00:1::10 fully-random/);
  const plain = mapOf([dualLease(1, 1)], hostGw);
  const direct4 = masqueradeRules(plain.config, leaseIn(plain, 1), factsOf(), []);
  assert.match(direct4, /ip daddr 10\.244\.0\.0\/16 snat to 10\.0\.1\.10 fully-random\n {2}\}/);
  assert.doesNotMatch(direct4, /ip6/);
});

test('K7: a neighbour table that direct peers would fill is named; tunnel peers do not count', async () => {
  const peers = (path: 'host-gw' | 'vxlan') =>
    Array.from({ length: 1200 }, (_, n) => ({
      subnet: `s${n}`,
      instanceId: null,
      path,
      via: '10.0.1.1',
      dev: null,
      why: '',
    }));
  const sysctls = {
    read: async (path: string) => (path.includes('ipv4') ? '1024' : null),
    write: async () => undefined,
  };
  assert.deepEqual(await neighbourLimitProblems(sysctls, peers('host-gw')), [
    'net/ipv4/neigh/default/gc_thresh3 is 1024, too low for 1200 direct peers: raise it above 1328',
  ]);
  assert.deepEqual(await neighbourLimitProblems(sysctls, peers('vxlan')), []);
  assert.deepEqual(await neighbourLimitProblems({ ...sysctls, read: async () => null }, peers('host-gw')), []);
});
