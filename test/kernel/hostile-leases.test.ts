/** One bad lease is named and left out; everything else is programmed. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Cluster, directBackend, nodeSpec } from './lab/cluster.ts';
import { ourFdb, ourRoutes, permanentNeighbours } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import type { MapLease } from './lab/map-file.ts';
import { mapPeer } from './lab/map-peer.ts';

interface Hostile {
  readonly what: string;
  readonly lease: Partial<Record<keyof MapLease, unknown>>;
}

const hostile: readonly Hostile[] = [
  { what: 'everything', lease: { subnet: '0.0.0.0/0' } },
  { what: "the node's own LAN", lease: { subnet: '10.0.1.0/24' } },
  { what: 'a subnet outside the range', lease: { subnet: '172.16.9.0/24' } },
  { what: 'a subnet of another length', lease: { subnet: '10.244.8.0/22' } },
  { what: 'the whole network', lease: { subnet: '10.244.0.0/16' } },
  { what: "this node's subnet", lease: { subnet: '10.244.1.0/24' } },
  { what: 'a subnet that another holds', lease: { subnet: '10.244.2.0/24' } },
  { what: 'no CIDR at all', lease: { subnet: '10.244.9.0/24; reboot' } },
  {
    what: 'a command in place of an address',
    lease: { nodeIp: '10.0.1.9\nroute flush table main' },
  },
  { what: 'no MAC', lease: { vtepMac: 'zz:00:00:00:00:01' } },
  { what: 'a multicast MAC', lease: { vtepMac: '01:00:5e:00:00:01' } },
  { what: 'the zero MAC', lease: { vtepMac: '00:00:00:00:00:00' } },
  { what: 'the broadcast MAC', lease: { vtepMac: 'ff:ff:ff:ff:ff:ff' } },
  { what: "another's MAC", lease: { vtepMac: '02:00:00:00:00:02' } },
  { what: 'our own MAC', lease: { vtepMac: '02:00:00:00:00:01' } },
  { what: 'a node address inside the network', lease: { nodeIp: '10.244.3.7' } },
  { what: 'our own address', lease: { nodeIp: '10.0.1.10' } },
  { what: "the router's address", lease: { nodeIp: '10.0.1.1' } },
  { what: 'a loopback address', lease: { nodeIp: '127.0.0.1' } },
  { what: 'a multicast address', lease: { nodeIp: '224.0.0.9' } },
  { what: 'an unreachable neighbour', lease: { nodeIp: '203.0.113.9', segment: 'subnet-1' } },
];

async function victim(t: TestContext) {
  const cluster = await Cluster.open(t, { backend: directBackend }, [
    nodeSpec('a', { pod: false, ipv6: undefined, ipv6Lease: undefined }),
  ]);
  cluster.publish((map) => map.leases.push(mapPeer(2), mapPeer(3)));
  return { cluster, node: cluster.node('a') };
}

/** Each under a subnet of its own, unless the subnet is what is wrong with it; returns what it is called. */
const placed = ({ lease }: Hostile, index: number): MapLease => ({
  ...mapPeer(40 + 2 * index, { instanceId: `i-bad-${index}` }),
  ...(lease as Partial<MapLease>),
});

kernelTest('I5: each of many hostile leases is named and skipped, exit 2, and all others are programmed', async (t) => {
  const { cluster, node } = await victim(t);
  assert.equal((await node.once()).status, 0);
  const state = async () => ({
    routes: await ourRoutes(node.namespace),
    neighbours: await permanentNeighbours(node.namespace),
    fdb: await ourFdb(node.namespace),
    table: await node.ip('route show table main'),
  });
  const good = await state();
  cluster.publish((map) => map.leases.push(...hostile.map(placed)));
  const { status, stderr } = await node.once();
  assert.equal(status, 2, stderr);
  assert.deepEqual(await state(), good);
  const lines = stderr.split('\n');
  for (const [index, bad] of hostile.entries()) {
    const subnet = String(placed(bad, index).subnet).split(' ')[0] ?? '';
    assert.ok(
      lines.some((line) => line.includes(subnet) || line.includes(`leases[${index + 3}]`)),
      `${bad.what} (${subnet}) is not named in:\n${stderr}`,
    );
  }
});

kernelTest('hostile leases that come first in the map win nothing by that', async (t) => {
  const { cluster, node } = await victim(t);
  cluster.publish((map) => {
    const own = hostile
      .map(placed)
      .filter(({ subnet, vtepMac }) => subnet !== '10.244.2.0/24' && vtepMac !== '02:00:00:00:00:02');
    map.leases.unshift(...own);
  });
  const { status, stderr } = await node.once();
  assert.equal(status, 2, stderr);
  const routes = (await ourRoutes(node.namespace)).filter((row) => row.includes(' via '));
  assert.deepEqual(
    routes.map((row) => row.split(' ')[0]),
    ['10.244.2.0/24', '10.244.3.0/24'],
  );
});
