/** What an earlier life left behind goes; what others made stays, to the letter. */
import assert from 'node:assert/strict';
import { Cluster, directBackend, nodeSpec } from './lab/cluster.ts';
import { bridgeBatch, ipBatch } from './lab/command.ts';
import { ourFdb, ourRoutes, permanentNeighbours } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { mapPeer } from './lab/map-peer.ts';
import type { Node } from './lab/node.ts';

async function lone(t: Parameters<typeof Cluster.open>[0], peers: number): Promise<{ cluster: Cluster; node: Node }> {
  const cluster = await Cluster.open(t, { backend: directBackend }, [
    nodeSpec('a', { pod: false, ipv6: undefined, ipv6Lease: undefined }),
  ]);
  cluster.publish((map) => {
    for (let number = 2; number < 2 + peers; number += 1) map.leases.push(mapPeer(number));
  });
  return { cluster, node: cluster.node('a') };
}

const exactly = async (node: Node, peers: readonly number[]) => {
  const subnets = (rows: readonly string[]) => rows.map((row) => /10\.244\.(\d+)\.0\S*/.exec(row)?.[1]).sort();
  const numbers = peers.map(String).sort();
  const tunnelled = peers
    .filter((number) => number % 2 === 0)
    .map(String)
    .sort();
  const routes = (await ourRoutes(node.namespace)).filter((row) => row.includes(' via '));
  assert.deepEqual(subnets(routes), numbers);
  assert.deepEqual(subnets(await permanentNeighbours(node.namespace)), tunnelled);
  assert.equal((await ourFdb(node.namespace)).length, tunnelled.length);
};

kernelTest('rows of an earlier life with another metric, gateway, MAC or peer are gone after a start', async (t) => {
  const { node } = await lone(t, 4);
  const { namespace } = node;
  assert.equal((await node.once()).status, 0);
  await exactly(node, [2, 3, 4, 5]);
  await ipBatch(namespace, [
    'route add 10.244.2.0/24 via 10.0.1.77 dev eth0 proto 76 metric 100',
    'route replace 10.244.3.0/24 via 10.0.1.66 dev eth0 proto 76 metric 2076',
    'route add 10.244.90.0/24 via 10.0.1.90 dev eth0 proto 76 metric 2076',
    'route add 10.244.91.0/24 via 10.244.91.0 dev lw-1 onlink proto 76 metric 2076',
    'route add 10.99.0.0/16 via 10.0.1.99 dev eth0 proto 76 metric 2076',
    'route add blackhole 10.244.92.0/24 proto 76 metric 2076',
    'neigh add 10.244.91.0 lladdr 02:00:00:00:99:91 dev lw-1 nud permanent',
    'neigh replace 10.244.4.0 lladdr 02:00:00:00:99:04 dev lw-1 nud permanent',
  ]);
  await bridgeBatch(namespace, [
    'fdb add 02:00:00:00:99:91 dev lw-1 dst 10.0.2.91 self permanent',
    'fdb append 00:00:00:00:00:00 dev lw-1 dst 10.0.2.92 self permanent',
    'fdb replace 02:00:00:00:00:04 dev lw-1 dst 10.0.2.99 self permanent',
  ]);
  const { status, stderr } = await node.once();
  assert.equal(status, 0, stderr);
  await exactly(node, [2, 3, 4, 5]);
  const routes = (await ourRoutes(namespace)).join('\n');
  assert.doesNotMatch(routes, /10\.99\.|10\.0\.1\.66|metric 100\b|blackhole/);
  assert.match((await ourFdb(namespace)).join('\n'), /02:00:00:00:00:04 dev lw-1 dst 10\.0\.2\.4 /);
});

kernelTest(
  'peers that left while the agent was down are gone after its start, three of eight among them',
  async (t) => {
    const { cluster, node } = await lone(t, 8);
    assert.equal((await node.once()).status, 0);
    await exactly(node, [2, 3, 4, 5, 6, 7, 8, 9]);
    cluster.publish((map) => {
      map.leases = map.leases.filter(({ subnet }) => !/10\.244\.[357]\.0/.test(subnet));
    });
    assert.equal((await node.once()).status, 0);
    await exactly(node, [2, 4, 6, 8, 9]);
  },
);

kernelTest('rows of others, inside the range and outside of it, stay as they are', async (t) => {
  const { node } = await lone(t, 3);
  const { namespace } = node;
  await ipBatch(namespace, [
    'link add br7 type bridge',
    'link set br7 up',
    'address add 10.244.3.1/24 dev br7',
    'route add 10.244.4.0/24 via 10.0.1.44 dev eth0 metric 2076',
    'route add 10.244.50.0/24 via 10.0.1.50 dev eth0 proto static',
    'route add unreachable 192.0.2.0/24',
    'route add 10.244.2.0/24 via 10.0.1.55 dev eth0 table 77',
    'link add vx9 type vxlan id 9 dstport 4789 dev eth0 local 10.0.1.10 nolearning',
    'link set vx9 up',
    'neigh add 10.9.9.9 lladdr 02:00:00:00:09:09 dev vx9 nud permanent',
    'neigh add 10.0.1.50 lladdr 02:00:00:00:05:05 dev eth0 nud permanent',
  ]);
  await bridgeBatch(namespace, ['fdb add 02:00:00:00:09:09 dev vx9 dst 10.0.2.9 self permanent']);
  const theirs = async () => {
    const { ip } = node;
    const all = await Promise.all(
      ['route show table all', '-6 route show table all'].map((words) => ip.call(node, words)),
    );
    const rows = all
      .join('\n')
      .split('\n')
      .filter((row) => !/ proto 76 |lw-1|fe80:/.test(row));
    const links = (await node.ip('-d -o link show')).split('\n').filter((row) => !row.includes('lw-1'));
    const neighbours = (await permanentNeighbours(namespace)).filter((row) => !row.includes('lw-1'));
    return [...rows, ...links, ...neighbours].map((row) => row.replaceAll(/\w+_timer +\S+/g, ''));
  };
  const before = await theirs();
  const { stderr } = await node.once();
  assert.deepEqual(await theirs(), before);
  assert.match(stderr, /10\.244\.4\.0\/24/, 'the foreign row of a wanted prefix is named');
  await node.once();
  assert.deepEqual(await theirs(), before);
});
