/** Whose address a packet carries, as the one who answers sees it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { atEnd } from './lab/at-end.ts';
import { Cluster, directBackend, nodeSpec } from './lab/cluster.ts';
import { inNamespace, run } from './lab/command.ts';
import { untilReady } from './lab/converged.ts';
import { Endpoint } from './lab/endpoint.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { untilPasses } from './lab/until.ts';

/** a and c with a pod each; c's own address, outside of the network, answers too. */
async function twoNodes(t: TestContext, args: readonly string[]) {
  const ipv4 = (name: string) => nodeSpec(name, { ipv6: undefined, ipv6Lease: undefined });
  const cluster = await Cluster.open(t, { backend: directBackend }, [ipv4('a'), ipv4('c')]);
  const [a, c] = [cluster.node('a'), cluster.node('c')];
  for (const node of cluster.nodes) node.start(args);
  for (const node of cluster.nodes) await untilReady(node);
  const outside = await Endpoint.start(c.namespace);
  atEnd(t, () => outside.close());
  await outside.listen(c.nodeIp); // A wildcard socket would answer under the tunnel's address.
  assert.ok(await a.pod.reaches(c.podIp));
  return { a, c };
}

kernelTest('without masquerade everybody sees the pod', async (t) => {
  const { a, c } = await twoNodes(t, []);
  assert.deepEqual(await a.pod.echo(c.podIp), { outcome: 'answered', seenFrom: a.podIp });
  assert.deepEqual(await a.pod.echo(c.nodeIp), { outcome: 'answered', seenFrom: a.podIp });
});

kernelTest(
  'R8: with it pods see the pod, the world sees the node, and a rule that is gone comes back',
  async (t) => {
    const { a, c } = await twoNodes(t, ['--masquerade']);
    const seen = async () => {
      assert.deepEqual(await a.pod.echo(c.podIp), { outcome: 'answered', seenFrom: a.podIp });
      assert.deepEqual(await a.pod.echo(c.nodeIp), { outcome: 'answered', seenFrom: a.nodeIp });
    };
    await seen();
    const tables = await run(inNamespace(a.namespace, ['nft', 'list', 'tables']));
    const ours = tables.split('\n').filter((line) => line.includes('leaseway'));
    assert.ok(ours.length > 0, tables);
    for (const table of ours) await run(inNamespace(a.namespace, ['nft', 'delete', ...table.split(' ')]));
    await untilPasses(seen, 20_000);
  },
  90,
);

kernelTest('a range that is exempt sees the pod', async (t) => {
  const { a, c } = await twoNodes(t, ['--masquerade', '--masquerade-exempt', '10.0.0.0/16']);
  assert.deepEqual(await a.pod.echo(c.nodeIp), { outcome: 'answered', seenFrom: a.podIp });
});
