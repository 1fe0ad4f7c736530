/** Four nodes in two subnets: their tables text for text, and that packets follow them. */
import assert from 'node:assert/strict';
import { Cluster, directBackend, dualStackNetwork, nodeSpec } from './lab/cluster.ts';
import { assertGolden } from './lab/golden.ts';
import { nodeTables, ourRoutes } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { assertAllPodsReach } from './lab/reach.ts';

const four = ['a', 'b', 'c', 'd'];

kernelTest('four nodes in two subnets have the golden tables, and every pod reaches every other', async (t) => {
  const spec = { backend: directBackend, network: dualStackNetwork };
  const cluster = await Cluster.open(
    t,
    spec,
    four.map((name) => nodeSpec(name)),
  );
  for (const { status, stderr } of await Promise.all(cluster.nodes.map((node) => node.once()))) {
    assert.equal(status, 0, stderr);
  }
  for (const node of cluster.nodes) assertGolden(`nodes/${node.spec.name}`, await nodeTables(node.namespace));
  await assertAllPodsReach(cluster.nodes);
  await assertAllPodsReach(cluster.nodes, { bytes: 8931 - 48 });
});

kernelTest('LocalNetworkMask 255.255.255.0 gives the paths of flannel request 765', async (t) => {
  const machine = (name: string, address: string, lease: string) =>
    nodeSpec(name, { subnetId: 'lan', address, gateway: '192.168.0.1', lease, ipv6: undefined, ipv6Lease: undefined });
  const cluster = await Cluster.open(
    t,
    {
      backend: { ...directBackend, LocalNetworkMask: '255.255.255.0' },
      network: { Network: '172.10.0.0/16', SubnetLen: 24 },
      cidrs: ['192.168.0.0/16'],
      subnets: [{ id: 'lan', cidr: '192.168.0.0/16' }],
    },
    [
      machine('a', '192.168.1.2/16', '172.10.1.0/24'),
      machine('b', '192.168.1.3/16', '172.10.2.0/24'),
      machine('c', '192.168.2.2/16', '172.10.3.0/24'),
    ],
  );
  cluster.publish((map) => {
    for (const lease of map.leases) delete lease.segment;
  });
  for (const node of cluster.nodes) assert.equal((await node.once()).status, 0);
  const peers = async (name: string) =>
    (await ourRoutes(cluster.node(name).namespace)).filter((row) => row.includes(' via '));
  assert.deepEqual(await peers('a'), [
    '172.10.2.0/24 via 192.168.1.3 dev eth0 proto 76 src 192.168.1.2 metric 2076',
    '172.10.3.0/24 via 172.10.3.0 dev lw-1 proto 76 metric 2076 onlink',
  ]);
  assert.deepEqual(await peers('b'), [
    '172.10.1.0/24 via 192.168.1.2 dev eth0 proto 76 src 192.168.1.3 metric 2076',
    '172.10.3.0/24 via 172.10.3.0 dev lw-1 proto 76 metric 2076 onlink',
  ]);
  assert.deepEqual(await peers('c'), [
    '172.10.1.0/24 via 172.10.1.0 dev lw-1 proto 76 metric 2076 onlink',
    '172.10.2.0/24 via 172.10.2.0 dev lw-1 proto 76 metric 2076 onlink',
  ]);
  await assertAllPodsReach(cluster.nodes);
});
