/** `--once`, `--plan` and `cleanup`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanup } from '../../../agent/reconcile/cleanup.ts';
import { runOnce } from '../../../agent/reconcile/once.ts';
import type { MapSource } from '../../../agent/reconcile/ports.ts';
import { printPlan } from '../../../agent/reconcile/print-plan.ts';
import type { AgentStatus } from '../../../agent/reconcile/status.ts';
import type { AgentMap } from '../../../shared/domain/read-map.ts';
import { fakeNode } from '../../fakes/kernel/fake-node.ts';
import { direct, dualConf, dualLease, hostGw, lease, mapOf, vpcOnly } from '../../shared/domain/node-world.ts';

const sourceOf = (first: AgentMap | string): MapSource => ({
  start: (listener) => (typeof first === 'string' ? listener.unreadable(first) : listener.map(first)),
  close: async () => undefined,
});

const dual = { config: dualConf(direct) };
const three = [lease(1, 1), lease(2, 1), lease(3, 2)];

test('--once: 0 all programmed, 2 some skipped, 1 none', async (t) => {
  const cases: readonly [AgentMap | string, number][] = [
    [mapOf(three), 0],
    [mapOf([lease(1, 1)]), 0],
    [mapOf(three, vpcOnly), 0],
    [mapOf([...three, lease(9, 1, { subnet: '0.0.0.0/0' })]), 2],
    [mapOf([lease(1, 1), lease(9, 1, { vtepMac: 'nonsense' })]), 2],
    [mapOf([dualLease(1, 1), dualLease(2, 1, { ipv6Subnet: 'fd00:244:0:9::/64' })], direct, dual), 2],
    [mapOf(three, hostGw), 2],
    [mapOf(three.slice(1)), 1],
    ['map.json: is not JSON', 1],
  ];
  for (const [map, code] of cases) {
    const node = await fakeNode(t);
    const seen: AgentStatus[] = [];
    const before = node.kernel.text();
    const sink = { publish: async (status: AgentStatus) => void seen.push(status) };
    assert.equal(await runOnce(node.world, sourceOf(map), sink), code);
    if (code === 1) assert.equal(node.kernel.text(), before);
    else assert.equal(seen[0]?.ready, true);
  }
});

test('--once without an address of one family is 2 and names it, also where there is no peer; --plan has no line of that family', async (t) => {
  for (const leases of [[dualLease(1, 1)], [dualLease(1, 1), dualLease(2, 1)]]) {
    const node = await fakeNode(t);
    node.kernel.sh('address del fd00:1::10/64 dev eth0; route add unreachable fd00:244:0:7::/64 proto 76 metric 2076');
    const map = mapOf(leases, direct, dual);
    const lines: string[] = [];
    assert.equal(await printPlan(node.world, sourceOf(map), (line) => lines.push(line)), 0);
    assert.deepEqual(
      lines.filter((line) => line.includes('fd00:')),
      [],
    );
    assert.match(node.log.at(-1) ?? '', /eth0 has no IPv6 address at present/);
    node.log.length = 0;
    assert.equal(await runOnce(node.world, sourceOf(map), { publish: async () => undefined }), 2);
    assert.match(node.log.join('\n'), /eth0 has no IPv6 address at present/);
  }
});

test('--once ends with 1 and names the own lease where that is refused', async (t) => {
  const node = await fakeNode(t);
  const map = mapOf([lease(1, 1, { subnet: '10.244.1.0/25' }), lease(2, 1)]);
  const sink = { publish: async () => undefined };
  assert.equal(await runOnce(node.world, sourceOf(map), sink), 1);
  assert.equal(
    node.log.at(-1),
    'the own lease 10.244.1.0/25 is refused: subnet 10.244.1.0/25 is not a /24: nothing is changed',
  );
});

test('of two leases of one subnet the line says whose is refused and who holds it', async (t) => {
  const node = await fakeNode(t);
  const map = mapOf([lease(1, 1), lease(2, 1), lease(2, 1, { instanceId: 'i-9' })]);
  await runOnce(node.world, sourceOf(map), { publish: async () => undefined });
  assert.equal(
    node.log.at(-1),
    '10.244.2.0/24: the lease of i-9 is refused: subnet 10.244.2.0/24 is held by instance i-2 already',
  );
});

test('--once ends with 1 and a line when the kernel cannot be read', async (t) => {
  const node = await fakeNode(t);
  node.kernel.refuse(/route show/, 'Cannot send dump request');
  assert.equal(await runOnce(node.world, sourceOf(mapOf(three)), { publish: async () => undefined }), 1);
  assert.match(node.log.at(-1) ?? '', /Cannot send dump request/);
});

test('--plan prints what a run would do, in its order, and does nothing', async (t) => {
  const node = await fakeNode(t);
  const before = node.kernel.text();
  const lines: string[] = [];
  assert.equal(await printPlan(node.world, sourceOf(mapOf(three)), (line) => lines.push(line)), 0);
  assert.deepEqual(lines, [
    'ip link add lw-1 address 02:00:00:00:00:01 mtu 8951 type vxlan id 1 local 10.0.1.10 dev eth0 dstport 8472 nolearning',
    'ip link set lw-1 addrgenmode none',
    'ip link set lw-1 up',
    'ip address add 10.244.1.0/32 dev lw-1',
    'bridge fdb replace 02:00:00:00:00:03 dev lw-1 dst 10.0.2.12 self permanent',
    'ip neigh replace 10.244.3.0 lladdr 02:00:00:00:00:03 dev lw-1 nud permanent',
    'ip route add unreachable 10.244.1.0/24 proto 76 metric 4278198272',
    'ip route add 10.244.2.0/24 via 10.0.1.11 dev eth0 src 10.0.1.10 proto 76 metric 2076',
    'ip route add 10.244.3.0/24 via 10.244.3.0 dev lw-1 onlink proto 76 metric 2076',
    'ip route add unreachable 10.244.0.0/16 proto 76 metric 2076',
  ]);
  assert.equal(node.kernel.text(), before);
  assert.deepEqual(node.kernel.writes, []);
  // What was printed, done by hand, is what a run makes.
  node.kernel.sh(lines.join('\n'));
  const again: string[] = [];
  await printPlan(node.world, sourceOf(mapOf(three)), (line) => again.push(line));
  assert.deepEqual(again, []);
});

test('--plan after a peer has gone removes in the other order', async (t) => {
  const node = await fakeNode(t);
  await node.pass(mapOf(three));
  const lines: string[] = [];
  await printPlan(node.world, sourceOf(mapOf(three.slice(0, 2))), (line) => lines.push(line));
  assert.deepEqual(lines, [
    'ip route del 10.244.3.0/24 proto 76 metric 2076',
    'ip neigh flush to 10.244.3.0 dev lw-1 nud permanent',
    'bridge fdb del 02:00:00:00:00:03 dev lw-1 dst 10.0.2.12 self',
  ]);
  assert.equal(await printPlan(node.world, sourceOf(mapOf(three.slice(1))), () => undefined), 1);
});

test('I12: cleanup leaves what was there before the first run, and what others made since', async (t) => {
  const node = await fakeNode(t, { rpFilter: 'loose', forwarding: true });
  node.settings.set('net/ipv4/conf/eth0/rp_filter', '1');
  node.settings.set('net/ipv4/ip_forward', '0');
  node.kernel.sh(`link add flannel.9 type vxlan id 9 local 10.0.1.10 dev eth0 dstport 4789; link set flannel.9 up
    fdb replace 02:00:00:00:00:99 dev flannel.9 dst 10.0.9.9
    route add 10.244.2.0/24 via 10.0.1.60 dev eth0`);
  const before = node.kernel.text();
  const settings = [...node.settings];
  await node.pass(mapOf(three, direct));
  assert.notEqual(node.kernel.text(), before);
  const { problems } = await cleanup(node.kernel, node.world.record, node.folder);
  assert.deepEqual(problems, []);
  assert.equal(node.kernel.text(), before);
  assert.deepEqual([...node.settings], settings);
  assert.equal(await node.subnetEnv(), null);
  assert.deepEqual((await cleanup(node.kernel, node.world.record, node.folder)).done, []);
});
