/** One pass after another on a fake kernel: asserted as the commands that would make its state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPass } from '../../../agent/reconcile/pass.ts';
import { noGuardState } from '../../../shared/domain/node-guard.ts';
import { fakeNode, uplink } from '../../fakes/kernel/fake-node.ts';
import { direct, dualConf, dualLease, hostGw, hybrid, lease, mapOf, vpcOnly } from '../../shared/domain/node-world.ts';

const dual = (leases: readonly unknown[], backend: unknown = direct) =>
  mapOf(leases, backend, { config: dualConf(backend) });

const host = `ip address add 10.0.1.10/24 dev eth0
ip address add fd00:1::10/64 dev eth0
ip route add 0.0.0.0/0 via 10.0.1.1 dev eth0 proto 3 metric 0
ip route add 10.0.1.0/24 dev eth0 src 10.0.1.10 proto 2 metric 0
ip route add fd00:1::/64 dev eth0 proto 2 metric 256
link eth0 06:00:00:00:00:00 mtu 9001 up
`;

const sorted = (text: string): string => `${text.trim().split('\n').sort().join('\n')}\n`;

const golden = sorted(`${host}
ip address add 10.244.1.0/32 dev lw-1
ip address add fd00:244:0:1::/128 dev lw6-1
link lw-1 02:00:00:00:00:01 mtu 8951 up vxlan id 1 local 10.0.1.10 dev eth0 dstport 8472 nolearning addrgenmode none
link lw6-1 02:00:00:00:00:01 mtu 8931 up vxlan id 1 local fd00:1::10 dev eth0 dstport 8472 nolearning addrgenmode none
ip route add fd00:244:0:1::/128 dev lw6-1 proto 2 metric 256
bridge fdb add 02:00:00:00:00:03 dev lw-1 dst 10.0.2.12
bridge fdb add 02:00:00:00:00:03 dev lw6-1 dst fd00:2::12
ip neigh add 10.244.3.0 lladdr 02:00:00:00:00:03 dev lw-1 nud permanent
ip neigh add fe80::ff:fe00:3 lladdr 02:00:00:00:00:03 dev lw6-1 nud permanent
ip route add 10.244.2.0/24 via 10.0.1.11 dev eth0 src 10.0.1.10 proto 76 metric 2076
ip route add 10.244.3.0/24 via 10.244.3.0 dev lw-1 onlink proto 76 metric 2076
ip route add fd00:244:0:2::/64 via fd00:1::11 dev eth0 src fd00:1::10 proto 76 metric 2076
ip route add fd00:244:0:3::/64 via fe80::ff:fe00:3 dev lw6-1 proto 76 metric 2076
ip route add unreachable 10.244.0.0/16 proto 76 metric 2076
ip route add unreachable 10.244.1.0/24 proto 76 metric 4278198272
ip route add unreachable fd00:244:0:1::/64 proto 76 metric 4278198272
ip route add unreachable fd00:244::/48 proto 76 metric 2076`).replace(/^\n/, '');

const three = [dualLease(1, 1), dualLease(2, 1), dualLease(3, 2)];

test('a pass makes the golden state, and a second one writes nothing', async (t) => {
  const node = await fakeNode(t);
  const result = await node.pass(dual(three));
  assert.equal(node.kernel.text(), golden);
  assert.deepEqual([result.ready, result.skippedLeases, result.failedRows], [true, 0, 0]);
  node.kernel.writes.length = 0;
  const again = await node.pass(dual(three));
  assert.deepEqual(node.kernel.writes, []);
  assert.equal(again.changes, 0);
});

test('I3: what an earlier run left as it should be is no error and no change', async (t) => {
  const node = await fakeNode(t);
  await node.pass(dual(three));
  node.kernel.writes.length = 0;
  const fresh = await runPass(node.world, { map: dual(three), isNew: true, guard: noGuardState });
  assert.deepEqual([node.kernel.writes, fresh.problems], [[], []]);
});

test('I2: a lease that moves to another node is one replace on the right link', async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf([lease(1, 1), lease(2, 1)], hostGw));
  node.kernel.writes.length = 0;
  await node.pass(mapOf([lease(1, 1), lease(2, 1, { nodeIp: '10.0.1.99', instanceId: 'i-9' })], hostGw));
  assert.deepEqual(node.kernel.writes, [
    'route replace 10.244.2.0/24 via 10.0.1.99 dev eth0 src 10.0.1.10 proto 76 metric 2076',
  ]);
});

test('a change of path is one replace of the route: tunnel first there, tunnel last back', async (t) => {
  const node = await fakeNode(t);
  const near = mapOf([lease(1, 1, { segment: 'a' }), lease(2, 1, { segment: 'a' })]);
  const far = mapOf([lease(1, 1, { segment: 'a' }), lease(2, 1, { segment: 'b' })]);
  await node.pass(near);
  node.kernel.writes.length = 0;
  await node.pass(far);
  await node.pass(near);
  assert.deepEqual(node.kernel.writes, [
    'fdb replace 02:00:00:00:00:02 dev lw-1 dst 10.0.1.11 self permanent',
    'neigh replace 10.244.2.0 lladdr 02:00:00:00:00:02 dev lw-1 nud permanent',
    'route replace 10.244.2.0/24 via 10.244.2.0 dev lw-1 onlink proto 76 metric 2076',
    'route replace 10.244.2.0/24 via 10.0.1.11 dev eth0 src 10.0.1.10 proto 76 metric 2076',
    'neigh flush to 10.244.2.0 dev lw-1 nud permanent',
    'fdb del 02:00:00:00:00:02 dev lw-1 dst 10.0.1.11 self',
  ]);
});

test('promotion to the VPC is a delete, demotion an add; the network row never moves', async (t) => {
  const node = await fakeNode(t);
  const routed = (tables: readonly string[]) =>
    mapOf([lease(1, 1, { routedIn: ['rtb-2'] }), lease(3, 2, { routedIn: tables })], hybrid);
  await node.pass(routed([]));
  const overlay = node.kernel.text();
  node.kernel.writes.length = 0;
  await node.pass(routed(['rtb-1']));
  assert.deepEqual(node.kernel.writes.slice(0, 1), ['route del 10.244.3.0/24 proto 76 metric 2076']);
  await node.pass(routed([]));
  assert.equal(node.kernel.text(), overlay);
  assert.equal(node.kernel.writes.filter((line) => line.includes('10.244.0.0/16')).length, 0);
});

test('wherever the network row leads next, the rows of peers come before it and go after it', async (t) => {
  const node = await fakeNode(t);
  const of = (backend: unknown) =>
    mapOf([lease(1, 1, { routedIn: ['rtb-2'] }), lease(3, 2, { routedIn: ['rtb-1'] })], backend);
  const order = () =>
    node.kernel.writes
      .splice(0)
      .flatMap((line) => /^route (\w+ (?:unreachable )?10\.244\.[03]\S+)/.exec(line)?.[1] ?? []);
  await node.pass(of(direct));
  assert.deepEqual(order(), ['add 10.244.3.0/24', 'add unreachable 10.244.0.0/16']);
  await node.pass(of(hybrid));
  assert.deepEqual(order(), ['replace 10.244.0.0/16', 'del 10.244.3.0/24']);
  await node.pass(of(direct));
  assert.deepEqual(order(), ['add 10.244.3.0/24', 'replace unreachable 10.244.0.0/16']);
});

test('K2: a peer that leaves takes its route, neighbour and FDB entry along; a peer whose MAC changes leaves no old entry', async (t) => {
  const node = await fakeNode(t);
  await node.pass(dual(three));
  await node.pass(
    dual([dualLease(1, 1), dualLease(2, 1), dualLease(3, 2, { vtepMac: '02:00:00:00:00:33', nodeIp: '10.0.2.99' })]),
  );
  assert.equal(
    node.kernel.text(),
    sorted(
      golden
        .replaceAll('02:00:00:00:00:03 dev', '02:00:00:00:00:33 dev')
        .replace('dst 10.0.2.12', 'dst 10.0.2.99')
        .replaceAll('fe80::ff:fe00:3 ', 'fe80::ff:fe00:33 '),
    ),
  );
  await node.pass(dual([dualLease(1, 1), dualLease(2, 1)]));
  assert.equal(
    node.kernel.text(),
    sorted(
      golden
        .split('\n')
        .filter((line) => !/00:03 |:3::|10\.244\.3\./.test(line))
        .join('\n'),
    ).replace(/^\n/, ''),
  );
});

test('peers that swap subnets end with one row each', async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf([lease(1, 1), lease(3, 2), lease(4, 2)]));
  await node.pass(
    mapOf([lease(1, 1), lease(3, 2, { subnet: '10.244.4.0/24' }), lease(4, 2, { subnet: '10.244.3.0/24' })]),
  );
  const rows = node.kernel
    .text()
    .split('\n')
    .filter((line) => /neigh|route add 10\.244\.[34]/.test(line));
  assert.deepEqual(rows, [
    'ip neigh add 10.244.3.0 lladdr 02:00:00:00:00:04 dev lw-1 nud permanent',
    'ip neigh add 10.244.4.0 lladdr 02:00:00:00:00:03 dev lw-1 nud permanent',
    'ip route add 10.244.3.0/24 via 10.244.3.0 dev lw-1 onlink proto 76 metric 2076',
    'ip route add 10.244.4.0/24 via 10.244.4.0 dev lw-1 onlink proto 76 metric 2076',
  ]);
});

const damages: readonly [string, string][] = [
  ['I6, I7: the uplink down and up', 'link set eth0 down; link set eth0 up; route add default via 10.0.1.1 dev eth0'],
  ['J5: the device deleted', 'link del lw-1'],
  ['J8: the device down', 'link set lw6-1 down'],
  ['J8: the device down and up', 'link set lw-1 down; link set lw-1 up'],
  ['J1: the MAC rewritten', 'link set lw-1 address 02:00:00:00:00:77'],
  ['the MTU changed', 'link set lw-1 mtu 1400'],
  ["L3: the device's address taken away", 'address del 10.244.1.0/32 dev lw-1; address add 169.254.7.7/16 dev lw-1'],
  ['other device fields', 'link set lw-1 type vxlan id 1 local 10.0.1.99 dev eth0 learning'],
  [
    'another VNI and port under our name',
    'link del lw-1; link add lw-1 type vxlan id 9 local 10.0.1.10 dev eth0 dstport 4789',
  ],
  ['a route that lost its source', 'route replace 10.244.2.0/24 via 10.0.1.11 dev eth0 proto 76 metric 2076'],
  ['a neighbour that may age', 'neigh replace 10.244.3.0 lladdr 02:00:00:00:00:03 dev lw-1'],
  [
    'routes deleted or bent',
    'route del 10.244.2.0/24; route replace 10.244.3.0/24 via 10.0.1.77 dev eth0 proto 76 metric 2076',
  ],
  [
    'neighbours altered',
    'neigh replace 10.244.3.0 lladdr 02:00:00:00:00:77 dev lw-1; neigh flush to fe80::ff:fe00:3 dev lw6-1 nud permanent',
  ],
  [
    'FDB entries altered',
    'fdb del 02:00:00:00:00:03 dev lw-1; fdb replace 02:00:00:00:00:03 dev lw6-1 dst fd00:9::9; fdb replace 02:00:00:00:00:55 dev lw-1 dst 10.0.9.9',
  ],
  [
    'routes of others on our device',
    'route add 10.244.77.0/24 dev lw-1; route replace 10.244.3.0/24 dev lw-1 metric 2076',
  ],
  ['the lower link made anew', `link del eth0; ${uplink}`],
  [
    'an earlier life: another metric, another gateway, peers gone',
    'route add 10.244.2.0/24 via 10.0.1.50 dev eth0 proto 76 metric 9; route add 10.99.0.0/24 via 10.0.1.51 dev eth0 proto 76 metric 2076; neigh replace 10.244.9.0 lladdr 02:00:00:00:00:09 dev lw-1 nud permanent',
  ],
];

for (const [name, damage] of damages) {
  test(`${name}: the next pass restores everything`, async (t) => {
    const node = await fakeNode(t);
    await node.pass(dual(three));
    node.kernel.sh(damage);
    await node.pass(dual(three));
    assert.equal(node.kernel.text(), golden);
  });
}

test('foreign rows are as before: a better one is a conflict, one inside a shadow, one in our place is kept', async (t) => {
  const node = await fakeNode(t);
  const foreign = `route add 10.244.2.0/24 dev eth0 proto 2
    route add 10.244.3.0/24 via 10.0.1.60 dev eth0 proto 4 metric 2076
    route add 10.244.3.128/25 via 10.0.1.61 dev eth0
    route add 192.168.7.0/24 via 10.0.1.62 dev eth0
    route add 10.244.1.0/24 dev eth0 proto 2`;
  node.kernel.sh(foreign);
  const before = node.kernel.state.routes.map((row) => ({ ...row }));
  const result = await node.pass(mapOf([lease(1, 1), lease(2, 1), lease(3, 2)]));
  for (const row of before)
    assert.ok(
      node.kernel.state.routes.some((now) => JSON.stringify(now) === JSON.stringify(row)),
      row.destination,
    );
  assert.deepEqual([...result.conflicts].sort(), [
    'conflict: 10.244.2.0/24 dev eth0 proto 2 metric 0',
    'conflict: 10.244.3.0/24 via 10.0.1.60 dev eth0 proto 4 metric 2076',
    'shadow: 10.244.3.128/25 via 10.0.1.61 dev eth0 proto 3 metric 0',
  ]);
  assert.match(
    result.peers.find(({ subnet }) => subnet === '10.244.3.0/24')?.why ?? '',
    /a foreign row is in its place/,
  );
  assert.equal(result.peers.find(({ subnet }) => subnet === '10.244.2.0/24')?.path, 'host-gw');
});

test('I5: a peer whose gateway the kernel refuses is named, and the others are programmed', async (t) => {
  const node = await fakeNode(t);
  const leases = [
    lease(1, 1),
    lease(2, 1),
    lease(8, 1, { nodeIp: '192.168.1.109', segment: '10.0.1.0/24' }),
    lease(3, 1),
  ];
  const result = await node.pass(mapOf(leases, hostGw));
  assert.deepEqual(
    result.peers.map(({ path }) => path),
    ['host-gw', 'host-gw', null],
  );
  assert.match(result.peers[2]?.why ?? '', /10\.244\.8\.0\/24.*Nexthop has invalid gateway/);
  assert.equal(result.ready, true);
  assert.match((await node.subnetEnv()) ?? '', /FLANNEL_SUBNET=10\.244\.1\.1\/24/);
});

test('a route is written only when its FDB entry and its neighbour were read back', async (t) => {
  const node = await fakeNode(t);
  for (const pattern of [/^fdb replace 02:00:00:00:00:03/, /^neigh replace 10\.244\.3\.0/]) {
    node.kernel.sh('route add 10.244.99.0/24 via 10.0.1.1 dev eth0 proto 76 metric 1');
    node.kernel.refuse(pattern, 'RTNETLINK answers: No buffer space available');
    const result = await node.pass(mapOf([lease(1, 1), lease(3, 2), lease(4, 2)]));
    assert.match(result.peers[0]?.why ?? '', /its tunnel is not complete/);
    assert.equal(result.peers[1]?.path, 'vxlan', 'a batch that ended early is carried on');
    assert.doesNotMatch(node.kernel.text(), /route add 10\.244\.3\.0/);
    node.kernel.refuse(null);
    assert.equal((await node.pass(mapOf([lease(1, 1), lease(3, 2), lease(4, 2)]))).peers[0]?.path, 'vxlan');
    await node.pass(mapOf([lease(1, 1)]));
  }
});

test('a reading that fails changes nothing: unknown is not empty', async (t) => {
  const node = await fakeNode(t);
  await node.pass(dual(three));
  for (const pattern of [/^ip link show/, /^ip address show/, /route show/, /^ip neigh show/, /^bridge fdb show/]) {
    node.kernel.refuse(pattern, 'Cannot send dump request');
    await assert.rejects(node.pass(dual(three)), /Cannot send dump request/);
    assert.equal(node.kernel.text(), golden);
  }
});

test('without the own lease, the uplink or any address of it nothing is changed', async (t) => {
  const node = await fakeNode(t, { interface: 'eth0' });
  await node.pass(dual(three));
  for (const map of [dual([]), dual(three.slice(1))]) {
    const result = await node.pass(map);
    assert.deepEqual([result.ready, result.own], [false, null]);
    assert.equal(node.kernel.text(), golden);
  }
  node.kernel.sh('address del 10.0.1.10/24 dev eth0; address del fd00:1::10/64 dev eth0');
  const before = node.kernel.text();
  const result = await node.pass(dual(three));
  assert.deepEqual([result.ready, result.own], [false, null]);
  assert.match(result.problems.join(), /eth0 has no IPv4 address.*eth0 has no IPv6 address/);
  assert.equal(node.kernel.text(), before);
  node.kernel.sh('link set eth0 down');
  assert.deepEqual((await node.pass(dual(three))).problems, ['eth0 is down']);
  node.kernel.sh('link set eth0 up; address add 10.0.1.10/24 dev eth0; address add fd00:1::10/64 dev eth0');
  node.kernel.sh('route add default via 10.0.1.1 dev eth0');
  await node.pass(dual(three));
  assert.equal(node.kernel.text(), golden);
});

const without = { ipv4: 'address del 10.0.1.10/24 dev eth0', ipv6: 'address del fd00:1::10/64 dev eth0' };
const isOf = (family: keyof typeof without) => (line: string) => /fd00:|fe80:|lw6/.test(line) === (family === 'ipv6');

for (const [missing, other] of [
  ['ipv6', 'ipv4'],
  ['ipv4', 'ipv6'],
] as const) {
  const linesOf = (family: keyof typeof without, text: string) => text.split('\n').filter(isOf(family));
  const peersOf = (family: keyof typeof without, peers: readonly { subnet: string; path: string | null }[]) =>
    peers.filter(({ subnet }) => isOf(family)(subnet)).map(({ path }) => path);

  test(`an uplink that never had an ${missing} address is programmed with ${other}, and the family is named`, async (t) => {
    const node = await fakeNode(t);
    node.kernel.sh(without[missing]);
    const nothing = linesOf(missing, node.kernel.text());
    const result = await node.pass(dual(three));
    assert.deepEqual(linesOf(other, node.kernel.text()), linesOf(other, golden));
    assert.deepEqual(linesOf(missing, node.kernel.text()), nothing);
    assert.deepEqual(peersOf(other, result.peers), ['host-gw', 'vxlan']);
    assert.deepEqual(peersOf(missing, result.peers), [null, null]);
    assert.deepEqual([result.ready, result.untouched, result.skippedLeases], [true, [missing], 2]);
    assert.match(result.problems.join(), /^eth0 has no IPv[46] address at present: .* stay as they are$/);
  });

  test(`an uplink that lost its ${missing} address keeps those rows, whatever the map says, and follows it with ${other}`, async (t) => {
    const node = await fakeNode(t);
    await node.pass(dual(three));
    node.kernel.sh(without[missing]);
    const kept = linesOf(missing, node.kernel.text());
    const fewer = dual([dualLease(1, 1), dualLease(2, 1)]);
    await node.pass(fewer);
    node.clock += 60 * 60_000;
    await node.pass(fewer);
    assert.deepEqual(linesOf(missing, node.kernel.text()), kept, 'its device does not count as needless either');
    assert.deepEqual(
      linesOf(other, node.kernel.text()),
      linesOf(other, golden).filter((line) => !/00:03 |:3::|10\.244\.3\./.test(line)),
    );
    node.kernel.sh(without[missing].replace(' del ', ' add '));
    if (missing === 'ipv4') node.kernel.sh('route add default via 10.0.1.1 dev eth0');
    await node.pass(dual(three));
    assert.equal(node.kernel.text(), golden);
  });
}

test('M3, M8: another backend converts every route, and the device that is no longer needed lingers without rows', async (t) => {
  const node = await fakeNode(t);
  const leases = [lease(1, 1), lease(2, 1), lease(3, 2, { segment: 'x' })];
  await node.pass(mapOf(leases, { Type: 'vxlan' }));
  await node.pass(mapOf(leases, hostGw));
  const rows = () =>
    node.kernel
      .text()
      .split('\n')
      .filter((line) => /lw-1/.test(line));
  assert.deepEqual(
    rows().map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['ip address', 'link lw-1'],
  );
  node.clock += 9 * 60_000;
  await node.pass(mapOf(leases, hostGw));
  assert.equal(rows().length, 2);
  node.clock += 60_000;
  await node.pass(mapOf(leases, hostGw));
  assert.deepEqual(rows(), []);
  await node.pass(mapOf(leases, { Type: 'vxlan' }));
  assert.equal(node.kernel.state.neighbours.length, 2);
});

test('a device of another kind under our name is foreign, named and left alone', async (t) => {
  const node = await fakeNode(t);
  node.kernel.sh(
    'link add lw-1 type bridge; link set lw-1 up; neigh replace 10.244.77.0 lladdr 02:00:00:00:00:77 dev lw-1 nud permanent',
  );
  const result = await node.pass(mapOf([lease(1, 1), lease(2, 1), lease(3, 2)]));
  assert.equal(result.ready, false);
  assert.match(result.problems[0] ?? '', /^lw-1 is a bridge device and not ours/);
  assert.deepEqual(
    node.kernel.state.neighbours.map(({ address }) => address),
    ['10.244.77.0'],
  );
  assert.equal(node.kernel.state.fdb.length, 0);
  assert.equal(result.peers[0]?.path, 'host-gw');
});

test('a conflict on our VNI or port names the other device and removes only what was just made', async (t) => {
  const node = await fakeNode(t);
  node.kernel.sh('link add flannel.1 type vxlan id 1 local 10.0.1.10 dev eth0 dstport 8472; link set flannel.1 up');
  const vni = await node.pass(mapOf([lease(1, 1)]));
  assert.deepEqual(vni.problems, ['lw-1 cannot be made: vxlan device flannel.1 has VNI 1 on port 8472 already']);
  node.kernel.sh(
    'link del flannel.1; link add other type vxlan id 7 local 10.0.1.10 dev eth0 dstport 8472 gbp; link set other up',
  );
  const port = await node.pass(mapOf([lease(1, 1)]));
  assert.deepEqual(port.problems, ['lw-1 cannot be made: vxlan device other has VNI 7 on port 8472 already']);
  assert.deepEqual(
    node.kernel.state.links.map(({ name }) => name),
    ['eth0', 'other'],
  );
});

test('devices of ours that only linger give way to those that are wanted, each family for itself', async (t) => {
  const node = await fakeNode(t);
  const leases = [dualLease(1, 1), dualLease(3, 2)];
  await node.pass(dual(leases, { ...direct, VNI: 1 }));
  const result = await node.pass(dual(leases, { ...direct, VNI: 2, GBP: true }));
  assert.deepEqual(result.problems, []);
  assert.deepEqual(
    node.kernel.state.links.map(({ name }) => name),
    ['eth0', 'lw-2', 'lw6-2'],
  );
  assert.deepEqual(
    result.peers.map(({ dev }) => dev),
    ['lw-2', 'lw6-2'],
  );
});

test('L8: a kernel without vxlan is one clear line', async (t) => {
  const node = await fakeNode(t);
  node.kernel.refuse(/^link add/, 'Error: Unknown device type.');
  const result = await node.pass(mapOf([lease(1, 1), lease(2, 1), lease(3, 2)]));
  assert.deepEqual(
    result.problems.filter((text) => text.startsWith('lw-1:')),
    ['lw-1: this kernel does not know the link type vxlan (modprobe vxlan)'],
  );
  assert.equal(result.peers[0]?.path, 'host-gw');
});

test('J15: another port is the same on the device', async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf([lease(1, 1)], { ...direct, Port: 4789 }));
  assert.equal(node.kernel.state.links.find(({ name }) => name === 'lw-1')?.vxlan?.port, 4789);
});

test('the MTU follows the lower link', async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf([lease(1, 1)]));
  node.kernel.sh('link set eth0 mtu 1500');
  await node.pass(mapOf([lease(1, 1)]));
  assert.equal(node.kernel.state.links.find(({ name }) => name === 'lw-1')?.mtu, 1450);
  assert.match((await node.subnetEnv()) ?? '', /FLANNEL_MTU=1450/);
});

test('K4: fifty leases are 49 FDB entries, 49 neighbours and 49 routes', async (t) => {
  const node = await fakeNode(t);
  const fifty = Array.from({ length: 50 }, (_, n) => lease(n + 1, n === 0 ? 1 : 2));
  await node.pass(mapOf(fifty));
  const { fdb, neighbours, routes } = node.kernel.state;
  assert.deepEqual([fdb.length, neighbours.length, routes.filter(({ dev }) => dev === 'lw-1').length], [49, 49, 49]);
  assert.ok(
    neighbours.every(({ permanent }) => permanent),
    'K6: permanent, so that no first packet waits',
  );
});

test('K5: what the map has, in whatever state that forwards, is not touched', async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf([lease(1, 1), lease(3, 2)]));
  node.kernel.writes.length = 0;
  for (const state of ['stale', 'leaving', 'active']) await node.pass(mapOf([lease(1, 1), lease(3, 2, { state })]));
  assert.deepEqual(node.kernel.writes, []);
});

test("an address that another machine has now loses its dynamic neighbour on the uplink, and nothing else's", async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf([lease(1, 1), lease(2, 1), lease(3, 1)], hostGw));
  node.kernel.sh(
    'neigh replace 10.0.1.11 lladdr 06:00:00:00:00:02 dev eth0; neigh replace 10.0.1.12 lladdr 06:00:00:00:00:03 dev eth0',
  );
  await node.pass(mapOf([lease(1, 1), lease(2, 1, { instanceId: 'i-22' }), lease(3, 1)], hostGw));
  assert.deepEqual(
    node.kernel.state.neighbours.map(({ address }) => address),
    ['10.0.1.12'],
  );
});

test('an empty map after a full one is held back by the guard; fewer are believed', async (t) => {
  const node = await fakeNode(t);
  const all = [1, 2, 3, 4, 5, 6, 7].map((n) => lease(n, n === 1 ? 1 : 2));
  await node.pass(mapOf(all));
  const full = node.kernel.text();
  const result = await node.pass(mapOf(all.slice(0, 1)));
  assert.equal(node.kernel.text(), full);
  assert.equal(result.heldPeers, 6);
  await node.pass(mapOf(all.slice(0, 1)));
  await node.pass(mapOf(all.slice(0, 1)));
  assert.equal(node.kernel.state.neighbours.length, 0);
});

test('rp_filter: loose with a fallback and undone later, else a warning; 0 and 2 are left alone', async (t) => {
  const node = await fakeNode(t);
  const path = 'net/ipv4/conf/eth0/rp_filter';
  node.settings.set(path, '1');
  const warned = await node.pass(mapOf([lease(1, 1)], direct));
  assert.ok(warned.problems.some((text) => text.startsWith('rp_filter of eth0 is strict')));
  assert.equal(node.settings.get(path), '1');
  await node.pass(mapOf([lease(1, 1)], hybrid));
  assert.equal(node.settings.get(path), '2');
  await node.world.record.undo();
  assert.equal(node.settings.get(path), '1');
  node.settings.set(path, '0');
  await node.pass(mapOf([lease(1, 1)], hybrid));
  assert.equal(node.settings.get(path), '0');
});

test('forwarding is checked, and set where that is asked for', async (t) => {
  const node = await fakeNode(t);
  node.settings.set('net/ipv4/ip_forward', '0');
  assert.ok((await node.pass(mapOf([lease(1, 1)], vpcOnly))).problems.some((text) => text.includes('ip_forward is 0')));
  const other = await fakeNode(t, { forwarding: true });
  other.settings.set('net/ipv4/ip_forward', '0');
  assert.deepEqual((await other.pass(mapOf([lease(1, 1)], vpcOnly))).problems, []);
  assert.equal(other.settings.get('net/ipv4/ip_forward'), '1');
});

const dualVpc = (leases: readonly unknown[] = [dualLease(1, 1)]) => dual(leases, vpcOnly);
const advertised = 'route add ::/0 via fe80::1 dev eth0 proto 9 metric 1024';
const networkRows = (text: string) =>
  text.split('\n').filter((line) => /(10\.244\.0\.0\/16|fd00:244::\/48) /.test(line));

test('R2: forwarding that is switched on takes no default route of a router advertisement away', async (t) => {
  const node = await fakeNode(t, { forwarding: true });
  node.kernel.sh(`link add eth1 type veth; link set eth1 up; ${advertised}`);
  node.kernel.sh('route add ::/0 via fe80::2 dev eth1 proto 9 metric 2048');
  for (const link of ['eth0', 'eth1', 'eth2']) node.settings.set(`net/ipv6/conf/${link}/accept_ra`, '1');
  node.settings.set('net/ipv6/conf/all/forwarding', '0');
  const result = await node.pass(dualVpc());
  assert.deepEqual(result.problems, []);
  const defaults = () => node.kernel.state.routes.filter(({ destination }) => destination === '::/0').length;
  assert.deepEqual([node.settings.get('net/ipv6/conf/all/forwarding'), defaults()], ['1', 2]);
  assert.equal(node.settings.get('net/ipv6/conf/eth2/accept_ra'), '1', 'no default route comes from there');
  await node.world.record.undo();
  assert.deepEqual(
    ['all/forwarding', 'eth0/accept_ra', 'eth1/accept_ra'].map((name) => node.settings.get(`net/ipv6/conf/${name}`)),
    ['0', '1', '1'],
  );
});

test('R2: where forwarding is on already, advertisements are accepted again; without --forwarding that is only said', async (t) => {
  const node = await fakeNode(t, { forwarding: true });
  node.settings.set('net/ipv6/conf/eth0/accept_ra', '1');
  await node.pass(dualVpc());
  assert.equal(node.settings.get('net/ipv6/conf/eth0/accept_ra'), '2');
  const other = await fakeNode(t);
  other.settings.set('net/ipv6/conf/eth0/accept_ra', '1');
  const { problems } = await other.pass(dualVpc());
  assert.ok(
    problems.some((text) => text.includes('router advertisements are ignored')),
    problems.join(),
  );
  assert.equal(other.settings.get('net/ipv6/conf/eth0/accept_ra'), '1');
});

test('R3: a default route that is away for a while takes no row of the network along', async (t) => {
  const node = await fakeNode(t);
  node.kernel.sh(advertised);
  await node.pass(dualVpc());
  const rows = networkRows(node.kernel.text());
  assert.equal(rows.length, 2);
  node.kernel.sh('route del ::/0 proto 9; route del default');
  const away = await node.pass(dualVpc());
  assert.deepEqual([networkRows(node.kernel.text()), away.problems], [rows, []]);
  node.kernel.sh('route add ::/0 via fe80::2 dev eth0 proto 9 metric 1024; route add default via 10.0.1.2 dev eth0');
  await node.pass(dualVpc());
  assert.match(networkRows(node.kernel.text()).join(), /via 10\.0\.1\.2 .*via fe80::2 /);
});

test('R4: a kernel that was started without IPv6 has its tunnel all the same', async (t) => {
  const node = await fakeNode(t);
  node.kernel.sh('address del fd00:1::10/64 dev eth0');
  node.kernel.state.ipv6 = false;
  const result = await node.pass(mapOf([lease(1, 1), lease(3, 2)]));
  assert.deepEqual([result.ready, result.problems, result.skippedLeases], [true, [], 0]);
  node.kernel.writes.length = 0;
  await node.pass(mapOf([lease(1, 1), lease(3, 2)]));
  assert.deepEqual(node.kernel.writes, []);
});

test("R11: a network that holds the node's own address is refused whole: its rows would cut the host off its VPC", async (t) => {
  for (const Network of ['10.0.0.0/16', '10.0.1.0/24']) {
    const node = await fakeNode(t);
    const before = node.kernel.text();
    const own = lease(1, 1, { subnet: Network === '10.0.0.0/16' ? '10.0.77.0/24' : '10.0.1.64/26' });
    const config = { Network, SubnetLen: Network === '10.0.0.0/16' ? 24 : 26, Backend: direct };
    const result = await node.pass(mapOf([own], direct, { config }));
    assert.deepEqual(
      [node.kernel.text(), result.ready, result.problems],
      [before, false, [`the address 10.0.1.10 of eth0 is inside the network ${Network}: nothing is changed`]],
    );
    assert.equal(await node.subnetEnv(), null);
  }
});

test('--node-ip that the uplink does not have is an error that changes nothing', async (t) => {
  for (const [wrong, problem] of [
    [{ ipv4: '10.0.1.99', ipv6: null }, '--node-ip 10.0.1.99 is not an address of eth0, which has 10.0.1.10'],
    [{ ipv4: null, ipv6: 'fd00:1::99' }, '--node-ipv6 fd00:1::99 is not an address of eth0, which has fd00:1::10'],
  ] as const) {
    const node = await fakeNode(t, { nodeAddresses: wrong });
    const before = node.kernel.text();
    const result = await node.pass(dual(three));
    assert.deepEqual([result.own, result.ready, result.problems], [null, false, [`${problem}: nothing is changed`]]);
    assert.equal(node.kernel.text(), before);
  }
  const node = await fakeNode(t, { nodeAddresses: { ipv4: '10.0.1.10', ipv6: 'fd00:1::10' } });
  assert.deepEqual((await node.pass(dual(three))).problems, []);
});

test('--node-ipv6 of an uplink that has no IPv6 address at present waits for it, and IPv4 does not', async (t) => {
  const node = await fakeNode(t, { nodeAddresses: { ipv4: null, ipv6: 'fd00:1::10' } });
  node.kernel.sh(without.ipv6);
  const result = await node.pass(dual(three));
  assert.deepEqual([result.ready, result.untouched], [true, ['ipv6']]);
});

test("the map's node address that the uplink does not have is named, and the uplink's own is used", async (t) => {
  const node = await fakeNode(t);
  const elsewhere = dual([dualLease(1, 1, { nodeIp: '203.0.113.9' }), ...three.slice(1)]);
  const result = await node.pass(elsewhere);
  assert.equal(result.ready, true);
  assert.deepEqual(result.problems, [
    'the map gives this node the address 203.0.113.9, which eth0 does not have: packets carry 10.0.1.10',
  ]);
  assert.match(node.kernel.text(), /link lw-1 .* local 10\.0\.1\.10 /);
  const chosen = await fakeNode(t, { nodeAddresses: { ipv4: '10.0.1.10', ipv6: null } });
  assert.deepEqual((await chosen.pass(elsewhere)).problems, [], '--node-ip says that this is meant');
});

test('R8: a setting that somebody switched off again is switched on again with the next look', async (t) => {
  const node = await fakeNode(t, { forwarding: true, rpFilter: 'loose' });
  const hardened = {
    'net/ipv4/ip_forward': '0',
    'net/ipv4/conf/eth0/rp_filter': '1',
    'net/ipv6/conf/all/forwarding': '0',
  };
  const set = () => Object.keys(hardened).map((path) => node.settings.get(path));
  for (let times = 0; times < 2; times += 1) {
    for (const [path, value] of Object.entries(hardened)) node.settings.set(path, value);
    await node.pass(dual(three));
    assert.deepEqual(set(), ['1', '2', '1']);
  }
});
