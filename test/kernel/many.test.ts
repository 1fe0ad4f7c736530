/** Fifty nodes, and four thousand peers. */
import assert from 'node:assert/strict';
import { Cluster, directBackend, nodeSpec } from './lab/cluster.ts';
import { ourFdb, ourRoutes, permanentNeighbours } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { smallPeer } from './lab/map-peer.ts';
import { Monitor } from './lab/monitor.ts';
import type { Node } from './lab/node.ts';

const bare = { pod: false, ipv6: undefined, ipv6Lease: undefined };

/** A row that is not ours comes and goes, to see the monitor listen. */
const poke = (node: Node) => async () => {
  await node.ip('route add 203.0.113.0/24 via 10.0.1.1');
  await node.ip('route del 203.0.113.0/24');
};

kernelTest(
  '4,000 peers from a map file are complete, and a further run changes nothing',
  async (t) => {
    const cluster = await Cluster.open(
      t,
      { backend: directBackend, network: { Network: '10.128.0.0/9', SubnetLen: 28 } },
      [nodeSpec('a', { ...bare, lease: '10.128.0.0/28', address: '10.0.1.10/17' })],
    );
    const node = cluster.node('a');
    const peers = 4000;
    cluster.publish((map) => {
      for (let number = 1; number <= peers; number += 1) map.leases.push(smallPeer(number));
    });
    const first = await node.once();
    assert.equal(first.status, 0, first.stderr);
    const count = async () => ({
      routes: (await ourRoutes(node.namespace)).filter((row) => row.includes(' via ')).length,
      neighbours: (await permanentNeighbours(node.namespace)).length,
      fdb: (await ourFdb(node.namespace)).length,
    });
    const complete = { routes: peers, neighbours: (peers * 3) / 4, fdb: (peers * 3) / 4 };
    assert.deepEqual(await count(), complete);
    const monitor = await Monitor.start(node.namespace, poke(node));
    try {
      assert.equal((await node.once()).status, 0);
      assert.deepEqual(monitor.changes, []);
    } finally {
      await monitor.stop();
    }
    assert.deepEqual(await count(), complete);
  },
  120,
);

kernelTest(
  'K4: fifty nodes have exactly 49 routes each, and neighbours and FDB entries for the other segment',
  async (t) => {
    const specs = Array.from({ length: 50 }, (_, index) => {
      const number = index + 1;
      const subnet = (index % 2) + 1;
      return nodeSpec('a', {
        ...bare,
        name: `n${number}`,
        subnetId: `subnet-${subnet}`,
        address: `10.0.${subnet}.${100 + number}/24`,
        gateway: `10.0.${subnet}.1`,
        lease: `10.244.${number}.0/24`,
        vtepMac: `02:00:00:00:01:${number.toString(16).padStart(2, '0')}`,
        pod: number <= 3,
      });
    });
    const cluster = await Cluster.open(t, { backend: directBackend }, specs);
    const waiting = [...cluster.nodes];
    const worker = async () => {
      for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        const { status, stderr } = await node.once();
        assert.equal(status, 0, `${node.spec.name}: ${stderr}`);
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    for (const node of cluster.nodes) {
      const routes = (await ourRoutes(node.namespace)).filter((row) => row.includes(' via '));
      assert.equal(routes.length, 49, node.spec.name);
      assert.equal(routes.filter((row) => row.includes(' dev eth0 ')).length, 24, node.spec.name);
      assert.equal((await permanentNeighbours(node.namespace)).length, 25, node.spec.name);
      assert.equal((await ourFdb(node.namespace)).length, 25, node.spec.name);
    }
    const [one, two, three] = cluster.nodes;
    assert.ok(one && two && three);
    assert.ok(await one.pod.reaches(two.podIp), 'across the subnets');
    assert.ok(await one.pod.reaches(three.podIp), 'inside the subnet');
    assert.ok(await two.pod.reaches(three.podIp));
    const monitor = await Monitor.start(one.namespace, poke(one));
    try {
      assert.equal((await one.once()).status, 0);
      assert.deepEqual(monitor.changes, []);
    } finally {
      await monitor.stop();
    }
  },
  300,
);
