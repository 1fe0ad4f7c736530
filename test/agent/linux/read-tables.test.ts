/** Dumps of iproute2, tolerant of its versions and deaf to what is not ours to judge. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDump } from '../../../agent/linux/dump.ts';
import { parseLink } from '../../../agent/linux/read-links.ts';
import { parseFdbEntry, parseNeighbour, readFdb, readNeighbours } from '../../../agent/linux/read-overlay.ts';
import { parseRoute } from '../../../agent/linux/read-routes.ts';
import type { Runner } from '../../../agent/linux/runner.ts';
import { routeKind } from '../../../shared/domain/kernel-rows.ts';

test('a dump is complete or an error; an empty table has three spellings', () => {
  for (const text of ['', '\n', '[]', '[{}]']) assert.deepEqual(parseDump(text, 'ip'), []);
  for (const text of ['[{"dst":"10.0.0.0/8"', '{}', 'Dump terminated', 'null'])
    assert.throws(() => parseDump(text, 'ip route'), /ip route/);
});

test('I10: rows of other tables and of other types are not ours, whatever the kernel puts into main', () => {
  const dump = [
    { type: 'local', dst: '10.244.1.1', table: 'local', protocol: 'kernel' },
    { type: '2', dst: '10.244.1.1', table: '255', protocol: '2' },
    { type: 'broadcast', dst: '10.244.1.255', dev: 'cni0', protocol: '2' },
    { type: 'multicast', dst: 'ff00::/8', dev: 'eth0', protocol: '2' },
    { dst: '10.244.9.0/24', via: { family: 'inet6', host: 'fe80::1' }, dev: 'eth0' },
  ];
  const routes = dump.flatMap((members) => parseRoute(members, members.dst.includes(':') ? 'ipv6' : 'ipv4') ?? []);
  assert.equal(routes.length, 3);
  assert.ok(routes.every((route) => !routeKind.isOurs(route)));
});

test('routes of several versions are the same rows', () => {
  const numeric = { type: '7', dst: '10.244.0.0/16', protocol: '76', metric: 2076, flags: [] };
  const named = { type: 'unreachable', dst: '10.244.0.0/16', protocol: 76, metric: '2076' };
  assert.deepEqual(parseRoute(numeric, 'ipv4'), parseRoute(named, 'ipv4'));
  const row = parseRoute(
    {
      dst: '10.244.2.0/24',
      gateway: '10.244.2.0',
      dev: 'lw-1',
      protocol: '76',
      metric: 2076,
      flags: ['onlink', 'linkdown'],
    },
    'ipv4',
  );
  assert.deepEqual([row?.onlink, row?.via, row?.special], [true, '10.244.2.0', false]);
  assert.equal(parseRoute({ dst: 'default', gateway: 'fe80:0::1', dev: 'eth0' }, 'ipv6')?.destination, '::/0');
  assert.equal(parseRoute({ dst: 'default', gateway: 'fe80:0::1', dev: 'eth0' }, 'ipv6')?.via, 'fe80::1');
  assert.equal(parseRoute({ dst: '10.9.9.9', dev: 'eth0' }, 'ipv4')?.destination, '10.9.9.9/32');
  assert.equal(parseRoute({ type: '7', dst: 'fd00::/48', dev: 'lo' }, 'ipv6')?.dev, null);
  const several = parseRoute({ dst: '10.244.2.0/24', protocol: '76', metric: 2076, nexthops: [{}] }, 'ipv4');
  assert.equal(several?.special, true);
});

test('neighbours and FDB entries of our own devices alone are read', async () => {
  const dumps: Record<string, unknown> = {
    neigh: [
      { dst: '10.244.2.0', dev: 'lw-1', lladdr: '02:AB:00:00:00:02', state: ['PERMANENT'] },
      { dst: '10.244.3.0', dev: 'lw-1', state: ['INCOMPLETE'] },
      { dst: '10.0.1.1', dev: 'eth0', lladdr: '02:00:00:00:00:09', state: ['REACHABLE'] },
      { dst: 'fe80::0:1', dev: 'lw-2', lladdr: '02:00:00:00:00:09', state: ['PERMANENT'] },
    ],
    fdb: [
      { mac: '02:00:00:00:00:02', ifname: 'lw-1', dst: '10.0.2.2', flags: ['self'], state: 'permanent' },
      { mac: '02:00:00:00:00:03', ifname: 'lw-1', dst: '10.0.2.3', flags: ['self'], state: '' },
      { mac: '02:00:00:00:00:04', ifname: 'lw-1', master: 'br0', state: 'permanent' },
      { mac: '33:33:00:00:00:01', ifname: 'eth0', flags: ['self'], state: 'permanent' },
    ],
  };
  const runner: Runner = {
    run: async () => undefined,
    output: async (argv) => JSON.stringify(dumps[argv.includes('neigh') ? 'neigh' : 'fdb']),
  };
  const ours = new Set(['lw-1']);
  assert.deepEqual(await readNeighbours(runner, ours), [
    { dev: 'lw-1', address: '10.244.2.0', mac: '02:ab:00:00:00:02', permanent: true },
    { dev: 'lw-1', address: '10.244.3.0', mac: null, permanent: false },
  ]);
  assert.deepEqual(await readFdb(runner, ours), [
    { dev: 'lw-1', mac: '02:00:00:00:00:02', dst: '10.0.2.2', special: false },
  ]);
  assert.equal(parseNeighbour({ dst: 'nonsense', dev: 'lw-1' }), null);
  const bent = parseFdbEntry({
    mac: '02:00:00:00:00:02',
    ifname: 'lw-1',
    dst: '10.0.2.2',
    port: 4789,
    state: 'permanent',
  });
  assert.equal(bent?.special, true);
});

test('a vxlan link as it is shown, with its lower link from the tunnel and not from the peer index', () => {
  const info_data = {
    id: 1,
    local6: 'FD00::1',
    link: 'eth0',
    port: 8472,
    learning: false,
    gbp: true,
    group: '239.1.1.1',
  };
  const link = parseLink({
    ifname: 'lw6-1',
    flags: ['BROADCAST', 'UP'],
    mtu: 1430,
    address: '02:00:00:00:00:01',
    linkinfo: { info_kind: 'vxlan', info_data },
    inet6_addr_gen_mode: 'none',
    addr_info: [
      { local: 'fd00:244:0:1::', prefixlen: 128, scope: 'global' },
      { local: 'fe80::1', prefixlen: 64, scope: '253' },
    ],
  });
  assert.deepEqual([link?.up, link?.lower, link?.addressMode], [true, 'eth0', 'none']);
  assert.deepEqual(link?.vxlan, {
    vni: 1,
    port: 8472,
    local: 'fd00::1',
    learning: false,
    gbp: true,
    group: '239.1.1.1',
  });
  assert.deepEqual(
    link?.addresses.map(({ address, global }) => [address, global]),
    [
      ['fd00:244:0:1::', true],
      ['fe80::1', false],
    ],
  );
});
