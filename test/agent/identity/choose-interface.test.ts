import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseInterface, type InterfaceWishes } from '../../../agent/identity/choose-interface.ts';
import type { HostAddress, HostLink, HostNetwork, HostRoute } from '../../../agent/identity/host-network.ts';
import { tryParseAddress } from '../../../shared/domain/cidr.ts';

function address(text: string, more: Partial<HostAddress> = {}): HostAddress {
  const [ip = '', prefix = '0'] = text.split('/');
  const family = tryParseAddress(ip)?.family ?? 'ipv4';
  const flags = { dynamic: false, temporary: false, deprecated: false, unusable: false, noPrefixRoute: false };
  return { family, address: ip, prefix: Number(prefix), scope: 'global', ...flags, ...more };
}

function link(index: number, name: string, addresses: readonly HostAddress[], more: Partial<HostLink> = {}): HostLink {
  const mac = `02:00:00:00:00:0${index}`;
  return { index, name, mac, mtu: 9001, up: true, loopback: false, kind: null, addresses, ...more };
}

function route(dev: string, gateway: string, metric = 0, family: HostRoute['family'] = 'ipv4'): HostRoute {
  return { family, destination: 'default', dev, gateway, metric };
}

const wishes = (interfaces: readonly string[] = [], more: Partial<InterfaceWishes> = {}): InterfaceWishes => ({
  interfaces,
  nodeIp: null,
  nodeIpv6: null,
  ...more,
});

const two: HostNetwork = {
  links: [
    link(1, 'lo', [address('127.0.0.1/8', { scope: 'host' })], { loopback: true }),
    link(2, 'ens5', [address('10.0.1.10/24'), address('fe80::5/64', { scope: 'link' }), address('2001:db8::10/128')]),
    link(3, 'ens6', [address('10.0.2.10/24')]),
    link(4, 'lw-1', [address('10.244.1.0/32')], { kind: 'vxlan' }),
    link(5, 'cni0', [address('10.244.1.1/24')], { kind: 'bridge' }),
    link(6, 'down0', [address('10.0.3.10/24')], { up: false }),
  ],
  routes: [route('ens6', '10.0.2.1', 200), route('ens5', '10.0.1.1', 100), route('ens5', 'fe80::1', 100, 'ipv6')],
};

test('the default route of the lowest metric decides', () => {
  const chosen = chooseInterface(two, wishes());
  assert.equal(chosen.name, 'ens5');
  assert.equal(chosen.gateway, '10.0.1.1');
  assert.equal(chosen.ipv6Gateway, 'fe80::1');
});

test('dual stack takes both addresses from one interface, global before link-local', () => {
  const { ipv4, ipv6 } = chooseInterface(two, wishes());
  assert.deepEqual([ipv4?.address, ipv6?.address], ['10.0.1.10', '2001:db8::10']);
});

for (const [wish, expected] of [
  ['ens6', 'ens6'],
  ['10.0.2.10', 'ens6'],
  ['ens*', 'ens5'],
  ['ens[!5]', 'ens6'],
  ['10.0.2.*', 'ens6'],
  ['/^en.6$/', 'ens6'],
  ['/^10\\.0\\.2\\./', 'ens6'],
  ['cni?', 'cni0'],
] as const) {
  test(`--interface ${wish} is ${expected}`, () => {
    assert.equal(chooseInterface(two, wishes([wish])).name, expected);
  });
}

test('of several wishes the first that fits counts', () => {
  assert.equal(chooseInterface(two, wishes(['eth*', 'ens6', 'ens5'])).name, 'ens6');
});

for (const [wish, problem] of [
  ['eth0', /--interface: fits no interface that is up; there is ens5 \(10\.0\.1\.10, 2001:db8::10\), ens6 .*cni0/],
  ['down0', /fits no interface that is up/],
  ['lw-1', /fits no interface that is up/],
  ['/(/', /is not a pattern/],
  ['', /is empty/],
] as const) {
  test(`--interface ${JSON.stringify(wish)} is refused by name`, () => {
    assert.throws(() => chooseInterface(two, wishes([wish])), problem);
  });
}

test('--node-ip alone finds its interface', () => {
  const chosen = chooseInterface(two, wishes([], { nodeIp: '10.0.2.10' }));
  assert.deepEqual([chosen.name, chosen.ipv4?.address], ['ens6', '10.0.2.10']);
});

test('without a default route an interface must be named', () => {
  assert.throws(
    () => chooseInterface({ ...two, routes: [] }, wishes()),
    /is needed, because there is no default route/,
  );
});

test('an IPv6 default route alone is enough', () => {
  const host = { ...two, routes: [route('ens6', 'fe80::1', 1024, 'ipv6')] };
  assert.equal(chooseInterface(host, wishes()).name, 'ens6');
});

const one = (...addresses: readonly HostAddress[]): HostNetwork => ({
  links: [link(2, 'ens5', addresses)],
  routes: [route('ens5', '10.0.1.1')],
});

for (const [name, addresses, expected] of [
  ['permanent before dynamic', [address('10.0.1.7/24', { dynamic: true }), address('10.0.1.8/24')], '10.0.1.8'],
  ['the first among equals', [address('10.0.1.7/24'), address('10.0.1.8/24')], '10.0.1.7'],
  [
    'global before link-local',
    [address('169.254.1.1/16', { scope: 'link' }), address('10.0.1.8/24', { dynamic: true })],
    '10.0.1.8',
  ],
] as const) {
  test(`IPv4: ${name}`, () => {
    assert.equal(chooseInterface(one(...addresses), wishes()).ipv4?.address, expected);
  });
}

for (const [name, addresses, expected] of [
  [
    'lasting before temporary',
    [address('2001:db8::aaaa/64', { temporary: true, dynamic: true }), address('2001:db8::1/64', { dynamic: true })],
    '2001:db8::1',
  ],
  [
    'never a deprecated one',
    [address('2001:db8::1/64', { deprecated: true }), address('2001:db8::2/64', { temporary: true })],
    '2001:db8::2',
  ],
  ["never one that may be another's", [address('2001:db8::1/64', { unusable: true })], undefined],
  ['link-local rather than none', [address('fe80::1/64', { scope: 'link' })], 'fe80::1'],
] as const) {
  test(`IPv6: ${name}`, () => {
    assert.equal(chooseInterface(one(...addresses), wishes()).ipv6?.address, expected);
  });
}

test('M5: an address without an on-link prefix has no neighbours', () => {
  assert.equal(chooseInterface(one(address('10.16.0.5/32')), wishes()).ipv4?.onLinkPrefix, null);
});

test('an address without a prefix route is on-link only by a connected route', () => {
  const host = one(address('10.0.1.10/24', { noPrefixRoute: true }));
  assert.equal(chooseInterface(host, wishes()).ipv4?.onLinkPrefix, null);
  const connected: HostRoute = { family: 'ipv4', destination: '10.0.1.0/24', dev: 'ens5', gateway: null, metric: 100 };
  const routed = { ...host, routes: [...host.routes, connected] };
  assert.equal(chooseInterface(routed, wishes()).ipv4?.onLinkPrefix, 24);
});
