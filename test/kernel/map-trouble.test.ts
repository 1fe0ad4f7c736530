/** A map that cannot be read, or that says too much at once, withdraws nothing. */
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { Cluster, directBackend, nodeSpec } from './lab/cluster.ts';
import { ourState } from './lab/converged.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { writeMap } from './lab/map-file.ts';
import { mapPeer } from './lab/map-peer.ts';
import type { Node } from './lab/node.ts';
import { pause, untilPasses } from './lab/until.ts';

async function running(t: TestContext, peers: number): Promise<{ cluster: Cluster; node: Node }> {
  const cluster = await Cluster.open(t, { backend: directBackend }, [
    nodeSpec('a', { pod: false, ipv6: undefined, ipv6Lease: undefined }),
  ]);
  cluster.publish((map) => {
    for (let number = 2; number < 2 + peers; number += 1) map.leases.push(mapPeer(number));
  });
  const node = cluster.node('a');
  node.start(['--poll', '0.2', '--sweep', '1']);
  await routes(node, peers);
  return { cluster, node };
}

const routes = (node: Node, count: number) =>
  untilPasses(async () => {
    const all = (await ourState(node)).routes;
    assert.equal(all.filter((row) => row.includes(' via ')).length, count, node.agent.log);
  });

/** Longer than the agent needs to see a file and to look at the kernel. */
const aWhile = () => pause(1500);

kernelTest(
  'a map that cannot be read, in five ways, withdraws nothing; a good one converges again',
  async (t) => {
    const { cluster, node } = await running(t, 4);
    const good = await ourState(node);
    const { mapPath, map } = cluster;
    const ways: readonly (readonly [string, () => void, () => void])[] = [
      ['half a file', () => writeMap(mapPath, JSON.stringify(map).slice(0, 200)), () => undefined],
      ['an empty file', () => writeMap(mapPath, ''), () => undefined],
      ['another schema', () => writeMap(mapPath, { ...map, schema: 99, leases: [] }), () => undefined],
      ['leases that are none', () => writeMap(mapPath, { ...map, leases: 'none' }), () => undefined],
      ['no file', () => rmSync(mapPath), () => undefined],
      ['a folder in its place', () => mkdirSync(mapPath), () => rmdirSync(mapPath)],
    ];
    for (const [what, spoil, undo] of ways) {
      spoil();
      await aWhile();
      assert.deepEqual(await ourState(node), good, what);
      assert.ok(node.agent.alive, what);
      undo();
    }
    cluster.publish((next) => next.leases.push(mapPeer(9)));
    await routes(node, 5);
  },
  90,
);

kernelTest('a map without the own lease changes nothing', async (t) => {
  const { cluster, node } = await running(t, 4);
  const good = await ourState(node);
  cluster.publish((map) => {
    map.leases = [];
  });
  await aWhile();
  assert.deepEqual(await ourState(node), good);
});

kernelTest(
  'an empty map after a full one is held back until two further revisions agree',
  async (t) => {
    const { cluster, node } = await running(t, 6);
    const good = await ourState(node);
    const only = (keep: (subnet: string) => boolean) =>
      cluster.publish((map) => {
        map.leases = map.leases.filter(({ subnet }) => keep(subnet));
      });
    only((subnet) => subnet === '10.244.1.0/24');
    await aWhile();
    assert.deepEqual(await ourState(node), good, 'the first one changes nothing');
    cluster.publish();
    await aWhile();
    cluster.publish();
    await routes(node, 0);
  },
  90,
);

kernelTest('two peers that leave, even when they are more than a third, are no reason to hesitate', async (t) => {
  const { cluster, node } = await running(t, 4);
  cluster.publish((map) => {
    map.leases = map.leases.filter(({ subnet }) => !['10.244.2.0/24', '10.244.3.0/24'].includes(subnet));
  });
  await routes(node, 2);
});
