import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLink, parseRoute, readHostNetwork } from '../../../agent/identity/host-network.ts';
import { systemRunner } from '../../../agent/linux/runner.ts';

test('the loopback of this host is read', async () => {
  const { links } = await readHostNetwork(systemRunner(process.env));
  const lo = links.find(({ name }) => name === 'lo');
  assert.equal(lo?.loopback, true);
});

test('flags of addresses are read, by name and by number', () => {
  const ipv6 = { family: 'inet6', local: '2001:DB8::1', prefixlen: 64, scope: '0', temporary: true, deprecated: true };
  const local = { family: 'inet6', local: 'fe80::1', prefixlen: 64, scope: '253', tentative: true };
  const info = { info_kind: 'bridge' };
  const link = parseLink({
    ifindex: 7,
    ifname: 'br0',
    flags: ['UP'],
    mtu: 1500,
    linkinfo: info,
    addr_info: [ipv6, local],
  });
  assert.equal(link?.kind, 'bridge');
  assert.deepEqual(
    link?.addresses.map(({ address, scope, temporary, deprecated, unusable }) => ({
      address,
      scope,
      temporary,
      deprecated,
      unusable,
    })),
    [
      { address: '2001:db8::1', scope: 'global', temporary: true, deprecated: true, unusable: false },
      { address: 'fe80::1', scope: 'link', temporary: false, deprecated: false, unusable: true },
    ],
  );
});

test('of a route with several next hops the first counts', () => {
  const hops = [
    { gateway: '10.0.1.1', dev: 'ens5' },
    { gateway: '10.0.2.1', dev: 'ens6' },
  ];
  assert.deepEqual(parseRoute({ dst: 'default', nexthops: hops, metric: 50 }, 'ipv4'), {
    family: 'ipv4',
    destination: 'default',
    dev: 'ens5',
    gateway: '10.0.1.1',
    metric: 50,
  });
});

test('a route by way of no device is none', () => {
  assert.equal(parseRoute({ type: 'unreachable', dst: '10.244.0.0/16' }, 'ipv4'), null);
});
