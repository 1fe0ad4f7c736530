import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { fdbKind, neighbourKind, routeKind } from '../../../shared/domain/kernel-rows.ts';
import type { NodeFacts } from '../../../shared/domain/node-facts.ts';
import { type NodeRows, nodeRows } from '../../../shared/domain/node-rows.ts';
import { ownLease, whyNoOwnLease } from '../../../shared/domain/own-lease.ts';
import type { AgentMap } from '../../../shared/domain/read-map.ts';
import {
  direct,
  dualConf,
  dualLease,
  factsOf,
  hostGw,
  hybrid,
  lease,
  mapOf,
  netConf,
  tables,
  vpcOnly,
  vxlan,
} from './node-world.ts';

function rowsOf(map: AgentMap, facts: NodeFacts = factsOf()): NodeRows {
  const own = ownLease(map, 'i-1');
  assert.ok(own);
  return nodeRows(map, own, facts);
}

function textOf({ devices, fdb, neighbours, routes }: NodeRows): string[] {
  return [
    ...devices.map(({ name, vni, port, mac, local, lower, mtu, address }) =>
      [name, `vni ${vni} port ${port}`, mac, `local ${local} dev ${lower} mtu ${mtu}`, address].join(' '),
    ),
    ...fdb.map(fdbKind.describe),
    ...neighbours.map(neighbourKind.describe),
    ...routes.map((row) => `${routeKind.describe(row)}${row.onlink ? ' onlink' : ''}`),
  ];
}

test('host-gw and vxlan of both families, to the letter', () => {
  const map = mapOf([dualLease(1, 1), dualLease(2, 1), dualLease(3, 2)], direct, { config: dualConf(direct) });
  assert.deepEqual(textOf(rowsOf(map)), [
    'lw-1 vni 1 port 8472 02:00:00:00:00:01 local 10.0.1.10 dev eth0 mtu 8951 10.244.1.0/32',
    'lw6-1 vni 1 port 8472 02:00:00:00:00:01 local fd00:1::10 dev eth0 mtu 8931 fd00:244:0:1::/128',
    '02:00:00:00:00:03 dev lw-1 dst 10.0.2.12',
    '02:00:00:00:00:03 dev lw6-1 dst fd00:2::12',
    '10.244.3.0 lladdr 02:00:00:00:00:03 dev lw-1',
    'fe80::ff:fe00:3 lladdr 02:00:00:00:00:03 dev lw6-1',
    'unreachable 10.244.1.0/24 proto 76 metric 4278198272',
    'unreachable 10.244.0.0/16 proto 76 metric 2076',
    '10.244.2.0/24 via 10.0.1.11 dev eth0 src 10.0.1.10 proto 76 metric 2076',
    '10.244.3.0/24 via 10.244.3.0 dev lw-1 proto 76 metric 2076 onlink',
    'unreachable fd00:244:0:1::/64 proto 76 metric 4278198272',
    'unreachable fd00:244::/48 proto 76 metric 2076',
    'fd00:244:0:2::/64 via fd00:1::11 dev eth0 src fd00:1::10 proto 76 metric 2076',
    'fd00:244:0:3::/64 via fe80::ff:fe00:3 dev lw6-1 proto 76 metric 2076',
  ]);
});

test('aws-vpc alone programs no peer, just the network by way of the router and the own subnet', () => {
  const rows = rowsOf(mapOf([lease(1, 1), lease(2, 1), lease(3, 2)], vpcOnly));
  assert.deepEqual(textOf(rows), [
    'unreachable 10.244.1.0/24 proto 76 metric 4278198272',
    '10.244.0.0/16 via 10.0.1.1 dev eth0 proto 76 metric 2076',
  ]);
  assert.deepEqual(
    rows.peers.map(({ path, via }) => `${path} ${via}`),
    ['vpc 10.0.1.1', 'vpc 10.0.1.1'],
  );
});

test('a promoted peer loses its rows and keeps the network row; host-gw peers stay', () => {
  const routed = (n: number, segment: number) => lease(n, segment, { routedIn: ['rtb-1', 'rtb-2'] });
  assert.deepEqual(textOf(rowsOf(mapOf([routed(1, 1), routed(2, 1), routed(3, 2)], hybrid))).slice(1), [
    'unreachable 10.244.1.0/24 proto 76 metric 4278198272',
    '10.244.0.0/16 via 10.0.1.1 dev eth0 proto 76 metric 2076',
    '10.244.2.0/24 via 10.0.1.11 dev eth0 src 10.0.1.10 proto 76 metric 2076',
  ]);
});

test('J11: the device has the uplink MTU less its own overhead, capped; pods get the smallest path', () => {
  const mtus = (backend: Record<string, unknown>, uplinkMtu: number) => {
    const rows = rowsOf(mapOf([dualLease(1, 1)], backend, { config: dualConf(backend) }), factsOf({ uplinkMtu }));
    return [...rows.devices.map(({ mtu }) => mtu), rows.mtu];
  };
  assert.deepEqual(mtus(vxlan, 9001), [8951, 8931, 8931]);
  assert.deepEqual(mtus(vxlan, 1500), [1450, 1430, 1430]);
  assert.deepEqual(mtus({ ...vxlan, MTU: 1500 }, 9001), [1450, 1430, 1430]);
  assert.deepEqual(mtus({ ...hybrid, MTU: 1500 }, 9001), [1450, 1430, 1430]);
  assert.deepEqual(mtus(hostGw, 9001), [9001]);
  assert.deepEqual(mtus({ ...vpcOnly, MTU: 1500 }, 9001), [1500]);
  const single = rowsOf(mapOf([lease(1, 1)], vxlan), factsOf({ uplinkMtu: 1500 }));
  assert.equal(single.mtu, 1450);
});

test('only leases that forward are programmed', () => {
  const states = ['active', 'leaving', 'stale', 'withdrawn', 'released', 'expired', 'reserved'];
  const map = mapOf([lease(1, 1), ...states.map((state, index) => lease(index + 2, 1, { state }))]);
  assert.deepEqual(
    rowsOf(map).peers.map(({ subnet }) => subnet),
    ['10.244.2.0/24', '10.244.3.0/24', '10.244.4.0/24'],
  );
});

test('a hostile lease is named and skipped, and all others are programmed', () => {
  const wide = {
    ...netConf(direct),
    Network: '10.0.0.0/8',
    SubnetLen: 24,
    Leaseway: { Protected: ['10.244.250.0/24'] },
  };
  const hostile: readonly [Record<string, unknown>, RegExp][] = [
    [{ subnet: '0.0.0.0/0' }, /outside|not a \/24/],
    [{ subnet: '10.0.1.0/24' }, /overlaps this node's own network 10\.0\.1\.0\/24/],
    [{ subnet: '192.168.0.0/24' }, /outside the network 10\.0\.0\.0\/8/],
    [{ subnet: 'fd00:244:0:9::/64' }, /first family/],
    [{ subnet: '10.244.1.0/24' }, /that of this node/],
    [{ subnet: '10.244.2.0/24' }, /^subnet 10\.244\.2\.0\/24 is held by instance i-2 already$/],
    [{ subnet: '10.244.2.0/25' }, /not a \/24/],
    [{ subnet: '10.244.0.0/16' }, /not a \/24/],
    [{ subnet: '10.244.250.0/24' }, /protected/],
    [{ vtepMac: '02:00:00:00:00:01' }, /VTEP MAC 02:00:00:00:00:01 is that of this node/],
    [
      { vtepMac: '02:00:00:00:00:02' },
      /^VTEP MAC 02:00:00:00:00:02 is held by instance i-2 \(10\.244\.2\.0\/24\) already$/,
    ],
    [{ nodeIp: '10.0.1.10' }, /that of this node/],
    [{ nodeIp: '10.0.1.1' }, /that of the router/],
    [{ instanceId: 'i-1' }, /is this node/],
  ];
  // The node addresses of this test are inside the wide network, so it takes another range for its nodes.
  const at = (n: number, more = {}) => lease(n, 1, { nodeIp: `172.16.1.${n}`, ...more });
  const facts = factsOf({ localNetworks: [parseCidr('10.0.1.0/24', 'n')] });
  for (const [more, problem] of hostile) {
    const network = more['nodeIp'] === undefined ? wide : netConf(direct);
    const map = mapOf([at(1), at(2), at(9, more), at(3)], direct, { config: network });
    const rows = rowsOf(map, facts);
    assert.deepEqual(
      rows.peers.map(({ subnet }) => subnet),
      ['10.244.2.0/24', '10.244.3.0/24'],
      JSON.stringify(more),
    );
    assert.equal(rows.refused.length, 1);
    assert.match(rows.refused[0]?.problem ?? '', problem);
  }
  const inside = rowsOf(mapOf([lease(1, 1), lease(9, 1, { nodeIp: '10.244.7.7' })]));
  assert.match(inside.refused[0]?.problem ?? '', /inside the network 10\.244\.0\.0\/16/);
});

test('a lease whose IPv6 subnet has another index than its IPv4 subnet is refused before it takes that of another', () => {
  const map = (n: number) =>
    mapOf([dualLease(1, 1), dualLease(2, 1, { ipv6Subnet: `fd00:244:0:${n}::/64` }), dualLease(3, 2)], direct, {
      config: dualConf(direct),
    });
  for (const n of [1, 3, 9]) {
    const rows = rowsOf(map(n));
    assert.deepEqual(
      rows.refused.map(({ name, problem }) => `${name}: ${problem}`),
      [
        `10.244.2.0/24: subnet fd00:244:0:${n}::/64 has not the index in fd00:244::/48 that 10.244.2.0/24 has in 10.244.0.0/16`,
      ],
    );
    assert.deepEqual(
      rows.peers.map(({ subnet, path }) => `${subnet} ${path}`),
      ['10.244.3.0/24 vxlan', 'fd00:244:0:3::/64 vxlan'],
    );
  }
  assert.deepEqual(rowsOf(map(2)).refused, []);
  const own = mapOf([dualLease(1, 1, { ipv6Subnet: 'fd00:244:0:2::/64' })], direct, { config: dualConf(direct) });
  assert.equal(ownLease(own, 'i-1'), null);
});

test('an IPv6 subnet takes nothing from anybody where the network has no IPv6', () => {
  const same = { ipv6Subnet: 'fd00:244:0:1::/64' };
  const rows = rowsOf(mapOf([lease(1, 1, same), lease(2, 1, same), lease(3, 2, same)]));
  assert.deepEqual(rows.refused, []);
  assert.equal(rows.peers.length, 2);
});

test('the own lease keeps what it has even where the other one comes first in the map', () => {
  const rows = rowsOf(mapOf([lease(9, 1, { subnet: '10.244.1.0/24' }), lease(1, 1), lease(2, 1)]));
  assert.deepEqual(
    rows.refused.map(({ instanceId }) => instanceId),
    ['i-9'],
  );
  assert.deepEqual(
    rows.peers.map(({ instanceId }) => instanceId),
    ['i-2'],
  );
});

test('without an own lease of this network nothing is wanted at all', () => {
  assert.equal(ownLease(mapOf([lease(2, 1)]), 'i-1'), null);
  assert.equal(ownLease(mapOf([lease(1, 1, { subnet: '192.168.1.0/24' })]), 'i-1'), null);
  assert.equal(ownLease(mapOf([lease(1, 1, { state: 'released' })]), 'i-1'), null);
  assert.notEqual(ownLease(mapOf([lease(1, 1, { state: 'withdrawn' })]), 'i-1'), null);
});

test('an own lease that is refused, or given up, is named with the reason', () => {
  const why = (...own: readonly Record<string, unknown>[]) =>
    whyNoOwnLease(mapOf([...own.map((more) => lease(1, 1, more)), lease(2, 1)]), 'i-1');
  assert.equal(
    why({ subnet: '10.244.1.0/25' }),
    'the own lease 10.244.1.0/25 is refused: subnet 10.244.1.0/25 is not a /24',
  );
  assert.match(why({ subnet: 'x' }), /^the own lease x is refused: subnet.*x/);
  assert.match(why({ vtepMac: 'zz' }), /^the own lease 10\.244\.1\.0\/24 is refused: vtepMac.*zz/);
  assert.match(why({ state: 'released' }, { subnet: '10.244.1.0/25' }), /^the own lease 10\.244\.1\.0\/25 is refused/);
  assert.equal(why({ state: 'released' }), 'the own lease 10.244.1.0/24 is released');
  assert.equal(why(), 'instance i-1 has no lease in the map (revision 1)');
});

test('I13: `onlink` is on the tunnel alone, never on a direct route', () => {
  const map = mapOf([lease(1, 1, { segment: 'a' }), lease(3, 2, { segment: 'a' }), lease(4, 2, { segment: 'b' })]);
  const onlink = rowsOf(map).routes.filter((row) => row.onlink);
  assert.deepEqual(
    onlink.map(({ dev }) => dev),
    ['lw-1'],
  );
});

test('J14: the tunnel leaves from the address of the chosen interface', () => {
  const addresses = { ipv4: { address: '10.0.1.99', onLinkPrefix: 24 }, ipv6: null };
  const [device] = rowsOf(mapOf([lease(1, 1)]), factsOf({ uplink: 'eth1', addresses })).devices;
  assert.deepEqual([device?.local, device?.lower], ['10.0.1.99', 'eth1']);
});

const anyPeer = (n: number) =>
  fc
    .record({
      segment: fc.constantFrom(undefined, null, 'a', 'b'),
      vtepMac: fc.constantFrom(undefined, `02:00:00:00:00:0${n}`),
      routedIn: fc.subarray(['rtb-1', 'rtb-2']),
      state: fc.constantFrom('active', 'leaving', 'stale', 'withdrawn'),
    })
    .map((more) => dualLease(n, n < 4 ? 1 : 2, more));

test('M10: each lease that forwards has exactly one route of its own, a row of the VPC, or a reason', () => {
  const backends = fc.constantFrom(vxlan, direct, hostGw, vpcOnly, hybrid, { ...vpcOnly, Fallback: hostGw });
  const leases = fc.tuple(...[2, 3, 4, 5].map(anyPeer));
  fc.assert(
    fc.property(backends, leases, fc.integer({ min: 0, max: 4 }), (backend, peers, turn) => {
      const config = { config: dualConf(backend), tables };
      const all = [dualLease(1, 1, { routedIn: ['rtb-1', 'rtb-2'] }), ...peers];
      const rows = rowsOf(mapOf(all, backend, config));
      for (const { subnet, path, via, dev, why } of rows.peers) {
        const own = rows.routes.filter(({ destination }) => destination === subnet);
        assert.equal(own.length, path === 'host-gw' || path === 'vxlan' ? 1 : 0, `${subnet} ${path} ${why}`);
        if (path === 'vxlan') {
          const neighbours = rows.neighbours.filter((row) => row.dev === dev && row.address === via);
          assert.equal(neighbours.length, 1);
          assert.equal(rows.fdb.filter((row) => row.dev === dev && row.mac === neighbours[0]?.mac).length, 1);
        }
        assert.notEqual(why, '');
      }
      const forwarding = all.filter((lease) => lease['state'] !== 'withdrawn').length - 1;
      assert.equal(rows.peers.length, forwarding * 2);
      for (const kind of [
        rows.routes.map(routeKind.key),
        rows.neighbours.map(neighbourKind.key),
        rows.fdb.map(fdbKind.key),
      ]) {
        assert.equal(new Set(kind).size, kind.length, 'no key is wanted twice');
      }
      // The same leases in another order are the same text.
      const turned = [...all.slice(turn), ...all.slice(0, turn)];
      assert.deepEqual(textOf(rowsOf(mapOf(turned, backend, config))), textOf(rows));
    }),
  );
});
