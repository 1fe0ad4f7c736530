/** A restart is nothing that the network could notice. */
import assert from 'node:assert/strict';
import { Cluster, directBackend, nodeSpec } from './lab/cluster.ts';
import { untilReady, untilRouted } from './lab/converged.ts';
import { linkOf } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { Monitor } from './lab/monitor.ts';
import { pause } from './lab/until.ts';

kernelTest(
  'I3, R7: a restart with an unchanged map keeps ifindex and MAC, changes nothing and loses nothing',
  async (t) => {
    const cluster = await Cluster.open(
      t,
      { backend: directBackend },
      ['a', 'b', 'c'].map((name) => nodeSpec(name)),
    );
    const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')];
    for (const node of cluster.nodes) node.start();
    await untilRouted(cluster.nodes, 2);
    for (const peer of [b, c]) assert.ok(await a.pod.reaches(peer.podIp));
    await untilReady(a);
    const before = await linkOf(a.namespace, 'lw-1');
    const monitor = await Monitor.start(a.namespace, async () => {
      await a.ip('route add 203.0.113.0/24 via 10.0.1.1');
      await a.ip('route del 203.0.113.0/24');
    });
    await pause(1500); // The agent answers the monitor's own rows with a look; it must be over.
    const probes = await Promise.all([a.pod.probe(b.podIp), a.pod.probe(c.podIp), c.pod.probe(a.podIp)]);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await a.agent.stop(signal);
      await pause(500);
      a.start();
      await untilReady(a);
      await pause(1000);
    }
    const reports = await Promise.all(probes.map((probe) => probe.stop()));
    await monitor.stop();
    assert.deepEqual(monitor.changes, []);
    for (const report of reports) {
      assert.equal(report.lost, 0, JSON.stringify(report));
      assert.ok(report.sent > 400, `${report.sent} were sent`);
    }
    const after = await linkOf(a.namespace, 'lw-1');
    assert.equal(after?.ifindex, before?.ifindex);
    assert.equal(after?.address, '02:00:00:00:00:01');
  },
  90,
);

kernelTest('a graceful stop leaves traffic flowing and exits 0', async (t) => {
  const cluster = await Cluster.open(
    t,
    { backend: directBackend },
    ['a', 'c'].map((name) => nodeSpec(name)),
  );
  const [a, c] = [cluster.node('a'), cluster.node('c')];
  for (const node of cluster.nodes) node.start();
  await untilRouted(cluster.nodes, 1);
  assert.ok(await a.pod.reaches(c.podIp));
  assert.equal(await a.agent.stop(), 0, a.agent.log);
  assert.equal(await c.agent.stop('SIGINT'), 0, c.agent.log);
  assert.equal((await a.pod.echo(c.podIp)).outcome, 'answered');
});
