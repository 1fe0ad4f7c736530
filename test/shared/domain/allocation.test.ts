import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Allocation, allocate } from '../../../shared/domain/allocation.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { isHeld, type LeaseState } from '../../../shared/domain/lease.ts';
import { type LeaseRecord, notAdvertised } from '../../../shared/domain/lease-record.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';

const cidr = (text: string) => parseCidr(text, 'subnet');
const backend = { Type: 'vxlan' };
const network = parseNetworkConfig({ Network: '10.244.0.0/16', SubnetLen: 24, Backend: backend });
/** Room for four: 10.244.0.0/24 is SubnetMin here, so that tests can fill it. */
const small = parseNetworkConfig({
  Network: '10.244.0.0/22',
  SubnetLen: 24,
  SubnetMin: '10.244.0.0',
  Backend: backend,
});
const clear = { foreign: [], unreadable: [], routed: [] };

function lease(
  subnet: string,
  instanceId: string | null,
  state: LeaseState,
  releasedAt: number | null = null,
): LeaseRecord {
  return {
    subnet: cidr(subnet),
    ipv6Subnet: null,
    instanceId,
    instanceArn: instanceId,
    claimId: 'c',
    eniId: `eni-${instanceId ?? 'reserved'}`,
    nodeIp: null,
    nodeIpv6: null,
    subnetId: null,
    segment: null,
    vtepMac: null,
    state,
    acquiredAt: 0,
    expiresAt: null,
    version: 1,
    advertise: notAdvertised,
    onLinkPrefix: null,
    mtu: null,
    releasedAt,
    ttl: null,
  };
}

function ask(
  leases: readonly LeaseRecord[],
  asking: { instanceId?: string; previous?: string; wanted?: string; spread?: bigint } = {},
  config = network,
  obstacles: Parameters<typeof allocate>[2] = clear,
): Allocation {
  return allocate(config, leases, obstacles, {
    instanceId: asking.instanceId ?? 'i-1',
    previous: asking.previous === undefined ? null : cidr(asking.previous),
    wanted: asking.wanted === undefined ? null : cidr(asking.wanted),
    spread: asking.spread ?? 0n,
  });
}

function shown(allocation: Allocation): string {
  if (allocation.kind === 'refused') return `refused: ${allocation.reason}`;
  if (allocation.kind === 'own') return `own ${allocation.lease.subnet.text}`;
  return `${allocation.subnet.text}${allocation.lost === null ? '' : ` lost: ${allocation.lost}`}`;
}

test('its own lease comes first, whatever its state as long as it is held', () => {
  for (const state of ['active', 'leaving', 'stale', 'withdrawn'] as const) {
    assert.equal(
      shown(ask([lease('10.244.7.0/24', 'i-1', state)], { previous: '10.244.7.0/24' })),
      'own 10.244.7.0/24',
    );
  }
});

test('G4 its previous subnet comes next, if nobody took it: after release, expiry and removal of the tombstone', () => {
  const asking = { previous: '10.244.7.0/24' };
  assert.equal(shown(ask([lease('10.244.7.0/24', 'i-1', 'released', 5)], asking)), '10.244.7.0/24');
  assert.equal(shown(ask([lease('10.244.7.0/24', 'i-1', 'expired', 5)], asking)), '10.244.7.0/24');
  assert.equal(shown(ask([], asking)), '10.244.7.0/24');
});

test('Q5: a subnet that was granted to another is never taken back, not even when the other is gone', () => {
  const asking = { previous: '10.244.1.0/24' };
  const expected = '10.244.2.0/24 lost: 10.244.1.0/24 was granted to i-2 meanwhile';
  for (const state of ['active', 'withdrawn', 'released', 'expired'] as const) {
    assert.equal(shown(ask([lease('10.244.1.0/24', 'i-2', state, 5)], asking)), expected);
  }
  assert.match(shown(ask([lease('10.244.1.0/24', null, 'reserved')], asking)), /lost: .*eni-reserved \(reserved\)/);
});

test('a subnet that was granted to another is not even taken as the last one left', () => {
  const leases = [
    lease('10.244.0.0/24', 'i-2', 'released', 5),
    ...['1', '2', '3'].map((third) => lease(`10.244.${third}.0/24`, `i-1${third}`, 'active')),
  ];
  assert.match(shown(ask(leases, { previous: '10.244.0.0/24' }, small)), /^refused: out of subnets/);
  assert.equal(shown(ask(leases, { instanceId: 'i-9' }, small)), '10.244.0.0/24');
});

test('G8 a subnet that nobody ever had is given before one that was, then the longest released, then the longest expired', () => {
  const never = [
    lease('10.244.0.0/24', 'i-2', 'expired', 100),
    lease('10.244.1.0/24', 'i-3', 'released', 300),
    lease('10.244.2.0/24', 'i-4', 'released', 200),
  ];
  assert.equal(shown(ask(never, {}, small)), '10.244.3.0/24');
  const used = [...never, lease('10.244.3.0/24', 'i-5', 'active')];
  assert.equal(shown(ask(used, {}, small)), '10.244.2.0/24');
  const older = used.map((entry) => (entry.state === 'released' ? lease(entry.subnet.text, 'i-6', 'active') : entry));
  assert.equal(shown(ask(older, {}, small)), '10.244.0.0/24');
});

test('protected, conflicting, shadowed and unreadable subnets are skipped; a wider foreign row is no obstacle', () => {
  const config = parseNetworkConfig({
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    Backend: backend,
    Leaseway: { Protected: ['10.244.1.128/25'] },
  });
  const obstacles = {
    ...clear,
    foreign: [cidr('10.244.2.0/24'), cidr('10.244.3.77/32'), cidr('10.244.0.0/16'), cidr('10.0.0.0/8')],
    unreadable: [cidr('10.244.4.0/24')],
  };
  assert.equal(shown(ask([], {}, config, obstacles)), '10.244.5.0/24');
  for (const [previous, why] of [
    ['10.244.1.0/24', 'is in the protected range 10.244.1.128/25'],
    ['10.244.2.0/24', 'is taken by a foreign route, a protected range or an unreadable item'],
    ['10.244.3.0/24', 'is taken by a foreign route, a protected range or an unreadable item'],
  ] as const) {
    assert.equal(shown(ask([], { previous }, config, obstacles)), `10.244.5.0/24 lost: ${previous} ${why}`);
    assert.equal(shown(ask([], { wanted: previous }, config, obstacles)), `refused: ${previous} ${why}`);
  }
});

test('a subnet without an item that is routed is given last: in a restored book its holder may be missing', () => {
  const routed = ['10.244.0.0/24', '10.244.1.0/24', '10.244.3.0/24'].map(cidr);
  const obstacles = { ...clear, routed };
  assert.equal(shown(ask([], {}, small, obstacles)), '10.244.2.0/24');
  assert.equal(shown(ask([], { spread: 7n }, small, obstacles)), '10.244.2.0/24');
  const handedBack = [lease('10.244.2.0/24', 'i-2', 'active'), lease('10.244.3.0/24', 'i-3', 'released', 5)];
  assert.equal(shown(ask(handedBack, {}, small, obstacles)), '10.244.3.0/24');
  const held = handedBack.map((entry) => lease(entry.subnet.text, entry.instanceId, 'active'));
  assert.equal(shown(ask(held, {}, small, obstacles)), '10.244.0.0/24');
  assert.equal(shown(ask([], { wanted: '10.244.1.0/24' }, small, obstacles)), '10.244.1.0/24');
});

test('a held lease of another length, from before a change of SubnetLen, blocks what it covers; a tombstone does not', () => {
  const old = (state: LeaseState) => [lease('10.244.0.0/22', 'i-2', state, 5), lease('10.244.4.0/24', 'i-3', 'active')];
  assert.equal(shown(ask(old('active'))), '10.244.5.0/24');
  assert.equal(shown(ask(old('released'))), '10.244.1.0/24');
  assert.match(shown(ask(old('active'), { wanted: '10.244.2.0/24' })), /^refused: .*is held by i-2/);
});

test('the subnet asked for is granted if it is free, in range and of the right length, else refused with the reason', () => {
  const leases = [lease('10.244.9.0/24', 'i-2', 'active'), lease('10.244.8.0/24', null, 'reserved')];
  const asked = (wanted: string) => shown(ask(leases, { wanted }));
  assert.equal(asked('10.244.20.0/24'), '10.244.20.0/24');
  assert.equal(asked('10.244.9.0/24'), 'refused: 10.244.9.0/24 is held by i-2');
  assert.equal(asked('10.244.8.0/24'), 'refused: 10.244.8.0/24 is reserved for eni-reserved');
  assert.equal(asked('10.245.9.0/24'), 'refused: 10.245.9.0/24 is not in the network 10.244.0.0/16');
  assert.equal(asked('10.244.20.0/25'), "refused: 10.244.20.0/25 is not of the network's subnet length /24");
  assert.equal(asked('10.244.0.0/24'), 'refused: 10.244.0.0/24 is not between 10.244.1.0/24 and 10.244.255.0/24');
});

test('who holds a subnet and asks for another is refused, and keeps what it has', () => {
  const own = [lease('10.244.7.0/24', 'i-1', 'active')];
  assert.equal(shown(ask(own, { wanted: '10.244.7.0/24' })), 'own 10.244.7.0/24');
  assert.match(shown(ask(own, { wanted: '10.244.8.0/24' })), /^refused: .*holds 10.244.7.0\/24/);
});

test('in a dual-stack network both subnets have the same index, and an obstacle of either family blocks both', () => {
  const config = parseNetworkConfig({
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    EnableIPv6: true,
    IPv6Network: 'fd00:244::/48',
    IPv6SubnetLen: 64,
    Backend: backend,
  });
  const first = ask([], {}, config);
  assert.ok(first.kind === 'subnet');
  assert.equal(`${first.subnet.text} ${first.ipv6Subnet?.text}`, '10.244.1.0/24 fd00:244:0:1::/64');
  const blocked = ask([], {}, config, { ...clear, foreign: [cidr('fd00:244:0:1::1/128')] });
  assert.ok(blocked.kind === 'subnet');
  assert.equal(`${blocked.subnet.text} ${blocked.ipv6Subnet?.text}`, '10.244.2.0/24 fd00:244:0:2::/64');
});

test('an IPv6 network of four billion subnets finds a free one at once', () => {
  const config = parseNetworkConfig({
    EnableIPv4: false,
    EnableIPv6: true,
    IPv6Network: 'fd00::/32',
    IPv6SubnetLen: 64,
    Backend: backend,
  });
  const allocation = ask([lease('fd00:0:0:1::/64', 'i-2', 'active')], {}, config);
  assert.equal(shown(allocation), 'fd00:0:0:2::/64');
});

test('a lease outside a changed network is exchanged for one inside, and the node is told', () => {
  const old = lease('10.9.7.0/24', 'i-1', 'active');
  const allocation = ask([old], { previous: '10.9.7.0/24' });
  assert.equal(shown(allocation), '10.244.1.0/24 lost: 10.9.7.0/24 is not in the network 10.244.0.0/16');
  assert.ok(allocation.kind === 'subnet' && allocation.instead === old);
});

test('G7 when all is taken the refusal says how much there is', () => {
  const leases = ['0', '1', '2', '3'].map((third) => lease(`10.244.${third}.0/24`, `i-1${third}`, 'active'));
  const expected =
    /^refused: out of subnets: 10.244.0.0\/22 has room for 4 of \/24 \(10.244.0.0\/24 to 10.244.3.0\/24\), of which 4 are held/;
  assert.match(shown(ask(leases, {}, small)), expected);
});

test('Q6: a refusal says how much of it stopped instances hold, such as those of a warm pool', () => {
  const states = ['active', 'withdrawn', 'withdrawn', 'stale'] as const;
  const leases = states.map((state, third) => lease(`10.244.${third}.0/24`, `i-1${third}`, state));
  assert.match(shown(ask(leases, {}, small)), /of which 4 are held \(2 by stopped instances\) and the others are/);
});

test('whatever the leases, a granted subnet is in range, of the right length, unprotected and held by nobody else', () => {
  const states: LeaseState[] = ['active', 'leaving', 'withdrawn', 'released', 'expired', 'stale'];
  const anyLease = fc
    .record({ third: fc.nat(3), holder: fc.nat(5), state: fc.constantFrom(...states), at: fc.nat(100) })
    .map(({ third, holder, state, at }) =>
      lease(`10.244.${third}.0/24`, `i-${holder}`, state, isHeld(state) ? null : at),
    );
  const anyLeases = fc.uniqueArray(anyLease, { selector: ({ subnet }) => subnet.text, maxLength: 4 });
  fc.assert(
    fc.property(anyLeases, fc.nat(5), fc.option(fc.nat(3)), fc.bigInt(0n, 99n), (leases, id, previous, spread) => {
      const instanceId = `i-${id}`;
      const asking = { instanceId, spread, ...(previous === null ? {} : { previous: `10.244.${previous}.0/24` }) };
      const result = ask(leases, asking, small);
      if (result.kind === 'refused') {
        for (const third of [0, 1, 2, 3].filter((index) => index !== previous)) {
          const record = leases.find((entry) => entry.subnet.text === `10.244.${third}.0/24`);
          assert.ok(record !== undefined && isHeld(record.state), `${record?.subnet.text} was free`);
        }
        return;
      }
      const { subnet } = result.kind === 'own' ? result.lease : result;
      const record = leases.find((entry) => entry.subnet.text === subnet.text);
      assert.ok(record === undefined || !isHeld(record.state) || record.instanceId === instanceId);
      assert.equal(subnet.length, 24);
    }),
  );
});
