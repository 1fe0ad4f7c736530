import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PathWorld, pathBetween, segmentIn } from '../../../shared/domain/path.ts';
import type { AgentMap } from '../../../shared/domain/read-map.ts';
import {
  direct,
  dualConf,
  dualLease,
  hostGw,
  hybrid,
  lease,
  leaseIn,
  mapOf,
  netConf,
  vpcOnly,
  vxlan,
} from './node-world.ts';

const onLink = { ipv4: 24, ipv6: 64 };
const worldOf = (map: AgentMap, onLinkPrefix: PathWorld['onLinkPrefix'] = onLink): PathWorld => ({
  ...map,
  onLinkPrefix,
});

function kinds(map: AgentMap, onLinkPrefix = onLink): Record<string, string | null> {
  const me = leaseIn(map, 1);
  const others = map.leases.filter((other) => other !== me);
  return Object.fromEntries(
    others.map((other) => [other.instanceId, pathBetween(me, other, worldOf(map, onLinkPrefix), 'ipv4').kind]),
  );
}

const pair = [lease(1, 1), lease(2, 1), lease(3, 2)];

test('each backend takes the paths it allows', () => {
  assert.deepEqual(kinds(mapOf(pair, direct)), { 'i-2': 'host-gw', 'i-3': 'vxlan' });
  assert.deepEqual(kinds(mapOf(pair, vxlan)), { 'i-2': 'vxlan', 'i-3': 'vxlan' });
  assert.deepEqual(kinds(mapOf(pair, hostGw)), { 'i-2': 'host-gw', 'i-3': null });
  assert.deepEqual(kinds(mapOf(pair, vpcOnly)), { 'i-2': 'vpc', 'i-3': 'vpc' });
  assert.deepEqual(kinds(mapOf(pair, hybrid)), { 'i-2': 'host-gw', 'i-3': 'vxlan' });
  assert.deepEqual(kinds(mapOf(pair, { ...vpcOnly, Fallback: hostGw })), { 'i-2': 'host-gw', 'i-3': null });
  assert.deepEqual(kinds(mapOf(pair, { ...vpcOnly, Fallback: vxlan })), { 'i-2': 'vxlan', 'i-3': 'vxlan' });
});

test('the VPC carries a pair only when the table of each end routes the other end', () => {
  const routed = (one: readonly string[], three: readonly string[], filling = false) =>
    kinds(
      mapOf([lease(1, 1, { routedIn: one }), lease(3, 2, { routedIn: three })], hybrid, {
        tables: [
          { id: 'rtb-1', subnets: ['subnet-1'], filling },
          { id: 'rtb-2', subnets: ['subnet-2'] },
        ],
      }),
    )['i-3'];
  assert.equal(routed(['rtb-2'], ['rtb-1']), 'vpc');
  assert.equal(routed(['rtb-1'], ['rtb-1']), 'vxlan');
  assert.equal(routed(['rtb-2'], ['rtb-2']), 'vxlan');
  assert.equal(routed(['rtb-1', 'rtb-2'], ['rtb-1', 'rtb-2']), 'vpc');
  assert.equal(routed(['rtb-2'], ['rtb-1'], true), 'vxlan', 'a table that is filling is none');
});

test('a pair in one segment does not move when a table routes it', () => {
  const both = { routedIn: ['rtb-1'] };
  assert.equal(kinds(mapOf([lease(1, 1, both), lease(2, 1, both)], hybrid))['i-2'], 'host-gw');
});

test('families are decided apart', () => {
  const map = mapOf(
    [
      dualLease(1, 1, { routedIn: ['rtb-2'], ipv6RoutedIn: [] }),
      dualLease(3, 2, { routedIn: ['rtb-1'], ipv6RoutedIn: ['rtb-1'] }),
    ],
    hybrid,
    { config: dualConf(hybrid) },
  );
  const [me, peer] = [leaseIn(map, 1), leaseIn(map, 3)];
  assert.equal(pathBetween(me, peer, worldOf(map), 'ipv4').kind, 'vpc');
  assert.equal(pathBetween(me, peer, worldOf(map), 'ipv6').kind, 'vxlan');
});

test('LocalNetworkMask gives three nodes on two networks the paths of flannel request 765', () => {
  const backend = { ...direct, LocalNetworkMask: '255.255.255.0' };
  const seed = [
    lease(1, 1, { subnet: '172.10.1.0/24', nodeIp: '192.168.1.2' }),
    lease(2, 1, { subnet: '172.10.2.0/24', nodeIp: '192.168.1.3' }),
    lease(3, 1, { subnet: '172.10.3.0/24', nodeIp: '192.168.2.2' }),
  ];
  const map = mapOf(seed, backend, { config: { Network: '172.10.0.0/16', Backend: backend } });
  assert.deepEqual(kinds(map, { ipv4: 16, ipv6: 64 }), { 'i-2': 'host-gw', 'i-3': 'vxlan' });
});

test('M5: an address without an on-link prefix has no neighbours', () => {
  assert.deepEqual(kinds(mapOf(pair, direct), { ipv4: 32, ipv6: 128 }), { 'i-2': 'vxlan', 'i-3': 'vxlan' });
  assert.deepEqual(
    kinds(
      mapOf(
        pair.map((one) => ({ ...one, segment: null })),
        direct,
      ),
    ),
    { 'i-2': 'vxlan', 'i-3': 'vxlan' },
  );
});

test('M6: a peer that the kernel would call on-link is no neighbour when the map gives it another segment', () => {
  const map = mapOf([lease(1, 1, { segment: 'a' }), lease(2, 1, { segment: 'b' })], direct);
  assert.deepEqual(kinds(map), { 'i-2': 'vxlan' });
});

test('a segment of the map is final, and compared as text', () => {
  const map = mapOf([lease(1, 1, { segment: 'subnet-9' }), lease(3, 2, { segment: 'subnet-9' })], direct);
  assert.deepEqual(kinds(map), { 'i-3': 'host-gw' });
  assert.equal(segmentIn(leaseIn(map, 1), worldOf(map), 'ipv4'), 'subnet-9');
});

test('why is a sentence that names what decided', () => {
  const map = mapOf([lease(1, 1), lease(2, 1), lease(3, 2, { vtepMac: undefined })], hybrid);
  const why = (n: number) => pathBetween(leaseIn(map, 1), leaseIn(map, n), worldOf(map), 'ipv4').why;
  assert.equal(why(2), 'both nodes are on segment 10.0.1.0/24');
  assert.equal(
    why(3),
    'no path: other segment: 10.0.1.0/24 here, 10.0.2.0/24 there; 10.244.3.0/24 is not routed in rtb-1; ' +
      'the node of 10.244.3.0/24 has no VTEP MAC',
  );
});

const anyLease = (n: number) =>
  fc
    .record({
      segment: fc.constantFrom(undefined, null, 'a', 'b'),
      subnetId: fc.constantFrom(undefined, 'subnet-1', 'subnet-2', 'subnet-3'),
      vtepMac: fc.constantFrom(undefined, `02:00:00:00:00:0${n}`),
      nodeIp: fc.constantFrom(undefined, `10.0.1.${n}`, `10.0.2.${n}`),
      nodeIpv6: fc.constantFrom(undefined, `fd00:1::${n}`, `fd00:2::${n}`),
      routedIn: fc.subarray(['rtb-1', 'rtb-2']),
      ipv6RoutedIn: fc.subarray(['rtb-1', 'rtb-2']),
    })
    .map((more) => dualLease(n, 1, more));

test('M10: both ends decide alike, and every pair has one path or a reason, whatever the options', () => {
  const masks = fc.constantFrom({}, { LocalNetworkMask: 24 }, { LocalNetworkMask: 16 });
  const nodes = fc.tuple(fc.constantFrom(vxlan, direct, hostGw), masks).map(([type, mask]) => ({ ...type, ...mask }));
  const backends = fc.oneof(
    nodes,
    fc.constant(vpcOnly),
    nodes.map((Fallback) => ({ ...vpcOnly, Fallback })),
  );
  const prefixes = fc.constantFrom(16, 24, 32, null);
  fc.assert(
    fc.property(anyLease(1), anyLease(2), backends, prefixes, fc.boolean(), (one, two, backend, ipv4, filling) => {
      const map = mapOf([one, two], backend, {
        config: dualConf(backend),
        tables: [
          { id: 'rtb-1', subnets: ['subnet-1'] },
          { id: 'rtb-2', subnets: ['subnet-2'], filling },
        ],
      });
      const world = worldOf(map, { ipv4: ipv4 as number, ipv6: 64 });
      for (const family of ['ipv4', 'ipv6'] as const) {
        const there = pathBetween(leaseIn(map, 1), leaseIn(map, 2), world, family);
        const back = pathBetween(leaseIn(map, 2), leaseIn(map, 1), world, family);
        assert.equal(there.kind, back.kind);
        assert.ok(there.kind !== null || there.why.startsWith('no path: '));
        if (there.kind === 'host-gw') assert.notEqual(segmentIn(leaseIn(map, 1), world, family), null);
      }
    }),
  );
});

test('M7: a misspelt or mistyped DirectRouting is an error for the one who deploys, and for the agent as far as it is typed', () => {
  assert.throws(() => mapOf(pair, { ...vxlan, directrouting: 'true' }), /directrouting.*/i);
  assert.deepEqual(kinds(mapOf(pair, { type: 'VXLAN', directrouting: true })), { 'i-2': 'host-gw', 'i-3': 'vxlan' });
  assert.doesNotThrow(() => mapOf(pair, vxlan, { config: { ...netConf(vxlan), FutureKey: 1 } }));
});
