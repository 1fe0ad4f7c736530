/** A lease that changes its path, and nothing but its path, costs no packet. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Cluster, dualStackNetwork, hybridBackend, nodeSpec } from './lab/cluster.ts';
import { ourState, untilPath, untilReady } from './lab/converged.ts';
import { Endpoint } from './lab/endpoint.ts';
import { kernelTest } from './lab/kernel-test.ts';
import type { Node } from './lab/node.ts';
import { RouteWatch } from './lab/route-watch.ts';
import { pause, untilPasses } from './lab/until.ts';
import { mainTable, toEni } from './vpc/model.ts';

const ipv4 = (name: string, rpFilter = 2) => nodeSpec(name, { rpFilter, ipv6: undefined, ipv6Lease: undefined });

/** a and b are neighbours, c is in another subnet; the VPC routes to all of them, whether the map says so or not. */
async function hybrid(
  t: TestContext,
  args: readonly string[],
  rpFilter = 2,
  names = ['a', 'b', 'c'],
): Promise<Cluster> {
  const cluster = await Cluster.open(
    t,
    { backend: hybridBackend },
    names.map((name) => ipv4(name, rpFilter)),
  );
  await cluster.vpc.applyRouteTables([
    mainTable(
      'rtb-1',
      cluster.nodes.map((node) => toEni(node.spec.lease, node.eniId)),
    ),
  ]);
  for (const node of cluster.nodes) node.start([...args, '--poll', '0.5']);
  for (const node of cluster.nodes) await untilReady(node);
  return cluster;
}

const promote = (cluster: Cluster) =>
  cluster.publish((map) => {
    for (const lease of map.leases) lease.routedIn = ['rtb-1', 'rtb-2'];
  });
const demote = (cluster: Cluster) =>
  cluster.publish((map) => {
    for (const lease of map.leases) lease.routedIn = [];
  });
const segment = (cluster: Cluster, name: string, value: string | null) =>
  cluster.publish(() => {
    cluster.lease(name).segment = value;
  });

/** The far subnet by the VPC and back, the neighbour by tunnel and back, each awaited at both ends. */
async function changePaths(cluster: Cluster, a: Node, b: Node, c: Node): Promise<void> {
  promote(cluster);
  await Promise.all([untilPath(a, c.spec.lease, null), untilPath(c, a.spec.lease, null)]);
  await pause(300);
  segment(cluster, 'b', null);
  await Promise.all([untilPath(a, b.spec.lease, null), untilPath(b, a.spec.lease, null)]);
  await pause(300);
  demote(cluster);
  for (const [x, y] of [
    [a, c],
    [c, a],
    [a, b],
    [b, a],
  ] as const)
    await untilPath(x, y.spec.lease, 'lw-1');
  await pause(300);
  segment(cluster, 'b', 'subnet-1');
  await Promise.all([untilPath(a, b.spec.lease, 'eth0'), untilPath(b, a.spec.lease, 'eth0')]);
  await pause(300);
}

for (const args of [[], ['--masquerade']]) {
  kernelTest(
    `pings, TCP and route lookups survive every change of path${args.length > 0 ? ', with snat' : ''}`,
    async (t) => {
      const cluster = await hybrid(t, args);
      const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')];
      const host = await Endpoint.start(a.namespace);
      t.after(() => host.close());
      for (const peer of [b, c]) assert.ok(await a.pod.reaches(peer.podIp));
      assert.ok(await host.reaches(c.podIp));
      const probes = await Promise.all([
        a.pod.probe(b.podIp),
        a.pod.probe(c.podIp),
        c.pod.probe(a.podIp),
        host.probe(c.podIp),
      ]);
      const exchanges = await Promise.all([
        a.pod.exchange(b.podIp),
        a.pod.exchange(c.podIp),
        host.exchange(c.podIp),
        // Under the node's own address, which is what `snat` translates.
        host.exchange(c.podIp, { from: a.nodeIp }),
      ]);
      const watch = new RouteWatch(a.namespace, c.podIp);
      for (let round = 0; round < 2; round += 1) await changePaths(cluster, a, b, c);
      const lookups = await watch.stop();
      const lost = await Promise.all(probes.map((probe) => probe.stop()));
      const tcp = await Promise.all(exchanges.map((exchange) => exchange.stop()));
      t.diagnostic(JSON.stringify({ lost, tcp, lookups: lookups.answers }));
      for (const report of lost) assert.equal(report.lost, 0, JSON.stringify(report));
      for (const report of tcp) {
        assert.equal(report.broken, null);
        assert.equal(report.echoed, report.sent);
      }
      assert.equal(lookups.failures, '');
      assert.ok(lookups.answers > 1000);
    },
    120,
  );
}

/** Which link IPv6 packets for a lease leave by, as far as the lease has a row of its own. */
const untilPath6 = (node: Node, lease: string, dev: string | null) =>
  untilPasses(async () => {
    const row = (await ourState(node)).routes.find((candidate) => candidate.startsWith(`${lease} via `));
    assert.equal(row === undefined ? null : / dev (\S+)/.exec(row)?.[1], dev, node.agent.log);
  });

kernelTest(
  'IPv6: pings survive every change of path',
  async (t) => {
    const spec = { backend: hybridBackend, network: dualStackNetwork };
    const cluster = await Cluster.open(
      t,
      spec,
      ['a', 'b', 'c'].map((name) => nodeSpec(name)),
    );
    const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')];
    const lease6 = (node: Node) => node.spec.ipv6Lease ?? '';
    await cluster.vpc.applyRouteTables([
      mainTable(
        'rtb-1',
        cluster.nodes.map((node) => toEni(lease6(node), node.eniId)),
      ),
    ]);
    for (const node of cluster.nodes) node.start(['--poll', '0.5']);
    for (const node of cluster.nodes) await untilReady(node);
    for (const peer of [b, c]) assert.ok(await a.pod.reaches(peer.podIpv6));
    const probes = await Promise.all([a.pod.probe(b.podIpv6), a.pod.probe(c.podIpv6), c.pod.probe(a.podIpv6)]);
    const routed = (tables: string[]) =>
      cluster.publish((map) => {
        for (const lease of map.leases) lease.ipv6RoutedIn = [...tables];
      });
    routed(['rtb-1', 'rtb-2']);
    await Promise.all([untilPath6(a, lease6(c), null), untilPath6(c, lease6(a), null)]);
    await pause(300);
    routed([]);
    await Promise.all([untilPath6(a, lease6(c), 'lw6-1'), untilPath6(c, lease6(a), 'lw6-1')]);
    segment(cluster, 'b', null);
    await Promise.all([untilPath6(a, lease6(b), 'lw6-1'), untilPath6(b, lease6(a), 'lw6-1')]);
    await pause(300);
    segment(cluster, 'b', 'subnet-1');
    await Promise.all([untilPath6(a, lease6(b), 'eth0'), untilPath6(b, lease6(a), 'eth0')]);
    await pause(300);
    for (const probe of probes) {
      const report = await probe.stop();
      t.diagnostic(JSON.stringify(report));
      assert.equal(report.lost, 0, JSON.stringify(report));
    }
  },
  90,
);

kernelTest(
  'rp_filter 0 and 2: nothing is lost while one agent stands still for 10 s across changes',
  async (t) => {
    const still = async (rpFilter: number) => {
      const cluster = await hybrid(t, ['--rp-filter', 'keep'], rpFilter, ['a', 'c']);
      const [a, c] = [cluster.node('a'), cluster.node('c')];
      assert.ok(await a.pod.reaches(c.podIp));
      const probes = await Promise.all([a.pod.probe(c.podIp), c.pod.probe(a.podIp)]);
      c.agent.signal('SIGSTOP');
      promote(cluster);
      await untilPath(a, c.spec.lease, null);
      await pause(5000);
      demote(cluster);
      await untilPath(a, c.spec.lease, 'lw-1');
      promote(cluster);
      await untilPath(a, c.spec.lease, null);
      await pause(5000);
      c.agent.signal('SIGCONT');
      await untilPath(c, a.spec.lease, null);
      for (const probe of probes) {
        const report = await probe.stop();
        assert.equal(report.lost, 0, `rp_filter ${rpFilter}: ${JSON.stringify(report)}`);
        assert.ok(report.sent > 1000);
      }
    };
    await Promise.all([still(0), still(2)]);
  },
  90,
);

kernelTest(
  'rp_filter 1: pod to pod loses nothing on any path once both ends have it',
  async (t) => {
    const cluster = await hybrid(t, ['--rp-filter', 'keep'], 1);
    const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')];
    const steady = async (what: string) => {
      const probes = await Promise.all([a.pod.probe(b.podIp), a.pod.probe(c.podIp), c.pod.probe(a.podIp)]);
      await pause(1500);
      for (const probe of probes) {
        const report = await probe.stop();
        assert.equal(report.lost, 0, `${what}: ${JSON.stringify(report)}`);
      }
    };
    await Promise.all([untilPath(a, c.spec.lease, 'lw-1'), untilPath(c, a.spec.lease, 'lw-1')]);
    await steady('host-gw and vxlan');
    const probe = await a.pod.probe(c.podIp);
    promote(cluster);
    await Promise.all([untilPath(a, c.spec.lease, null), untilPath(c, a.spec.lease, null)]);
    await pause(500);
    const { sent, lost, longestGapMs } = await probe.stop();
    t.diagnostic(`strict, one change of path: ${lost} of ${sent} packets lost, longest gap ${longestGapMs} ms`);
    await steady('host-gw and vpc');
  },
  90,
);
