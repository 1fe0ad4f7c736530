/** After `agent cleanup` nobody can tell that the agent was there. */
import assert from 'node:assert/strict';
import { Cluster, dualStackNetwork, hybridBackend, nodeSpec } from './lab/cluster.ts';
import { ipBatch, setSysctls } from './lab/command.ts';
import { untilReady, untilRouted } from './lab/converged.ts';
import { wholeState } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { mapPeer } from './lab/map-peer.ts';

kernelTest(
  'I12: cleanup leaves the namespace as it was before the first start',
  async (t) => {
    const cluster = await Cluster.open(t, { backend: hybridBackend, network: dualStackNetwork }, [
      nodeSpec('a', { pod: false, rpFilter: 1 }),
    ]);
    const node = cluster.node('a');
    const { namespace } = node;
    cluster.publish((map) => map.leases.push(mapPeer(2), mapPeer(3), mapPeer(4)));
    await setSysctls(namespace, { 'net/ipv4/ip_forward': 0, 'net/ipv6/conf/all/forwarding': 0 });
    await ipBatch(namespace, [
      'route add 10.244.60.0/24 via 10.0.1.60 dev eth0 proto static',
      'link add vx9 type vxlan id 9 dstport 4789 dev eth0 local 10.0.1.10 nolearning',
      'link set vx9 up',
      'neigh add 10.9.9.9 lladdr 02:00:00:00:09:09 dev vx9 nud permanent',
      'route replace default via 10.0.1.1 dev eth0',
      'route replace ::/0 via fe80::1 dev eth0',
    ]);
    const before = await wholeState(namespace);
    for (let life = 0; life < 2; life += 1) {
      node.start(['--masquerade', '--forwarding', '--rp-filter', 'loose']);
      await untilRouted([node], 4);
      await untilReady(node);
      assert.notEqual(await wholeState(namespace), before);
      assert.equal(await node.agent.stop(), 0);
    }
    const { status, stderr } = await node.cleanup();
    assert.equal(status, 0, stderr);
    assert.equal(await wholeState(namespace), before);
    assert.equal((await node.cleanup()).status, 0, 'a second one finds nothing');
    assert.equal(await wholeState(namespace), before);
  },
  90,
);
