/** Peers change, leave and swap: the kernel ends with exactly what the map says. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Cluster, directBackend, nodeSpec, tunnelBackend } from './lab/cluster.ts';
import { ourState, untilRouted } from './lab/converged.ts';
import { kernelTest } from './lab/kernel-test.ts';
import type { MapLease } from './lab/map-file.ts';
import { mapPeer } from './lab/map-peer.ts';
import type { Node } from './lab/node.ts';
import { untilPasses } from './lab/until.ts';
import { everyone } from './vpc/model.ts';

/** What the map asks of node a, worked out here anew. */
function expected(leases: readonly MapLease[]) {
  const others = leases.filter(
    ({ instanceId, state }) => instanceId !== 'i-a' && state !== 'withdrawn' && state !== 'released',
  );
  const near = others.filter(({ segment }) => segment === 'subnet-1');
  const far = others.filter((lease) => !near.includes(lease));
  const base = (subnet: string) => subnet.split('/')[0] ?? '';
  return {
    routes: [
      ...near.map(({ subnet, nodeIp }) => `${subnet} via ${nodeIp} dev eth0 proto 76 src 10.0.1.10 metric 2076`),
      ...far.map(({ subnet }) => `${subnet} via ${base(subnet)} dev lw-1 proto 76 metric 2076 onlink`),
    ].sort(),
    neighbours: far.map(({ subnet, vtepMac }) => `${base(subnet)} dev lw-1 lladdr ${vtepMac} PERMANENT`).sort(),
    fdb: far.map(({ vtepMac, nodeIp }) => `${vtepMac} dev lw-1 dst ${nodeIp} self permanent`).sort(),
  };
}

const matchesMap = (cluster: Cluster, node: Node, what: string) =>
  untilPasses(async () => {
    const { routes, neighbours, fdb } = await ourState(node);
    const ours = { routes: routes.filter((row) => row.includes(' via ')).sort(), neighbours, fdb };
    assert.deepEqual(ours, expected(cluster.map.leases), `${what}: ${node.agent.log}`);
  });

async function watching(t: TestContext, backend: Record<string, unknown>): Promise<{ cluster: Cluster; node: Node }> {
  const cluster = await Cluster.open(t, { backend }, [
    nodeSpec('a', { pod: false, ipv6: undefined, ipv6Lease: undefined }),
  ]);
  cluster.publish((map) => {
    for (const number of [2, 3, 4, 5, 6]) map.leases.push(mapPeer(number));
  });
  const node = cluster.node('a');
  node.start(['--poll', '0.2']);
  await matchesMap(cluster, node, 'at the start');
  return { cluster, node };
}

kernelTest(
  'I2, K2: one route, neighbour and FDB entry per lease that needs it, whatever about it changes',
  async (t) => {
    const { cluster, node } = await watching(t, directBackend);
    const peer = (number: number) => {
      const found = cluster.map.leases.find(({ instanceId }) => instanceId === `i-peer-${number}`);
      if (found === undefined) throw new Error(`no peer ${number}`);
      return found;
    };
    const steps: readonly (readonly [string, () => void])[] = [
      ['another address of a tunnel peer', () => Object.assign(peer(2), { nodeIp: '10.0.2.222' })],
      ['another address of a neighbour', () => Object.assign(peer(3), { nodeIp: '10.0.1.223' })],
      ['another MAC', () => Object.assign(peer(2), { vtepMac: '02:00:00:00:22:22' })],
      ['address and MAC at once', () => Object.assign(peer(4), { nodeIp: '10.0.2.224', vtepMac: '02:00:00:00:22:44' })],
      ['to our segment', () => Object.assign(peer(4), { segment: 'subnet-1', nodeIp: '10.0.1.224' })],
      ['away from it', () => Object.assign(peer(3), { segment: null })],
      [
        'segment, address and MAC at once',
        () => Object.assign(peer(3), { segment: 'subnet-1', nodeIp: '10.0.1.99', vtepMac: '02:00:00:00:22:33' }),
      ],
      [
        'two tunnel peers swap their subnets',
        () => {
          const [two, six] = [peer(2).subnet, peer(6).subnet];
          Object.assign(peer(2), { subnet: six });
          Object.assign(peer(6), { subnet: two });
        },
      ],
      [
        'a tunnel peer and a neighbour swap',
        () => {
          const [two, five] = [peer(2).subnet, peer(5).subnet];
          Object.assign(peer(2), { subnet: five });
          Object.assign(peer(5), { subnet: two });
        },
      ],
      [
        'two peers swap their MACs',
        () => {
          const [two, six] = [peer(2).vtepMac, peer(6).vtepMac];
          Object.assign(peer(2), { vtepMac: six });
          Object.assign(peer(6), { vtepMac: two });
        },
      ],
      ['one leaves', () => void cluster.map.leases.splice(cluster.map.leases.indexOf(peer(4)), 1)],
      ['one is withdrawn', () => Object.assign(peer(6), { state: 'withdrawn' })],
      ['and restored', () => Object.assign(peer(6), { state: 'active' })],
      ['one joins', () => void cluster.map.leases.push(mapPeer(8))],
    ];
    for (const [what, change] of steps) {
      cluster.publish(change);
      await matchesMap(cluster, node, what);
    }
  },
  90,
);

kernelTest(
  'M3: every backend in turn leaves nothing of the one before',
  async (t) => {
    const { cluster, node } = await watching(t, directBackend);
    const turnTo = (backend: Record<string, unknown>) =>
      cluster.publish((map) => {
        map.config['Backend'] = backend;
      });
    const vias = async () => (await ourState(node)).routes.filter((row) => row.includes(' via '));
    turnTo(tunnelBackend);
    await untilPasses(async () => {
      assert.deepEqual(
        (await vias()).map((row) => / dev (\S+)/.exec(row)?.[1]),
        Array(5).fill('lw-1'),
      );
      assert.equal((await ourState(node)).fdb.length, 5);
    });
    turnTo({ Type: 'host-gw' });
    await untilPasses(async () => {
      assert.deepEqual(
        (await vias()).map((row) => row.split(' ')[0]),
        ['10.244.3.0/24', '10.244.5.0/24'],
      );
      assert.deepEqual((await ourState(node)).fdb, []);
      assert.deepEqual((await ourState(node)).neighbours, []);
    });
    turnTo({ Type: 'aws-vpc', RouteTableID: ['rtb-1'] });
    await untilPasses(async () => {
      assert.deepEqual(await vias(), ['10.244.0.0/16 via 10.0.1.1 dev eth0 proto 76 metric 2076']);
    });
    turnTo({ ...tunnelBackend, VNI: 7, Port: 4789 });
    await untilPasses(async () => {
      assert.deepEqual(
        (await vias()).map((row) => / dev (\S+)/.exec(row)?.[1]),
        Array(5).fill('lw-7'),
      );
      assert.equal((await ourState(node)).fdb.filter((row) => row.includes(' lw-7 ')).length, 5);
      assert.equal((await ourState(node)).fdb.filter((row) => row.includes(' lw-1 ')).length, 0);
    });
    turnTo(directBackend);
    await matchesMap(cluster, node, 'and back');
  },
  90,
);

kernelTest('a node that is replaced under its old address is reached at once on its new ENI', async (t) => {
  const ipv4 = (name: string, change = {}) => nodeSpec(name, { ipv6: undefined, ipv6Lease: undefined, ...change });
  const cluster = await Cluster.open(t, { backend: directBackend }, [ipv4('a'), ipv4('b')]);
  const [a, b] = [cluster.node('a'), cluster.node('b')];
  for (const node of cluster.nodes) node.start(['--poll', '0.2']);
  await untilRouted(cluster.nodes, 1);
  assert.ok(await a.pod.reaches(b.podIp));
  // The peer's entry is fresh, so that the kernel would ask nobody for 15 seconds and more.
  await a.ip(`neigh replace ${b.nodeIp} lladdr ${cluster.vpc.eni(b.eniId).mac} dev eth0 nud reachable`);
  await cluster.kill('b');
  cluster.map.leases.pop();
  const again = await cluster.add(
    ipv4('e', { address: b.spec.address, subnetId: 'subnet-1', lease: b.spec.lease, vtepMac: '02:00:00:00:00:0e' }),
  );
  await cluster.vpc.allowFrom(again.eniId, everyone);
  cluster.publish();
  again.start(['--poll', '0.2']);
  await untilRouted([again], 1);
  assert.ok(await a.pod.reaches(again.podIp, { withinMs: 5000 }), a.agent.log);
});
