/** The loop: woken by maps, by the kernel and by the clock; each pass for itself. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { runLoop } from '../../../agent/reconcile/loop.ts';
import type { MapListener } from '../../../agent/reconcile/ports.ts';
import type { AgentStatus } from '../../../agent/reconcile/status.ts';
import type { AgentMap } from '../../../shared/domain/read-map.ts';
import { fakeNode } from '../../fakes/kernel/fake-node.ts';
import { lease, mapOf } from '../../shared/domain/node-world.ts';

async function startLoop(t: TestContext, sweep = 3_600_000) {
  const node = await fakeNode(t);
  const ending = new AbortController();
  const seen: AgentStatus[] = [];
  const closed: string[] = [];
  let listener: MapListener | null = null;
  let ring = (): void => undefined;
  const ended = runLoop(
    {
      world: node.world,
      sweep,
      source: {
        start(given) {
          listener = given;
        },
        close: async () => void closed.push('source'),
      },
      sink: { publish: async (status) => void seen.push(status) },
      watchKernel(given) {
        ring = given;
        return { close: () => void closed.push('monitor') };
      },
    },
    ending.signal,
  );
  const stop = async (): Promise<void> => {
    ending.abort();
    await ended;
  };
  t.after(stop);
  return {
    node,
    seen,
    closed,
    stop,
    ring: () => ring(),
    give: (map: AgentMap) => listener?.map(map),
    fail: (problem: string) => listener?.unreadable(problem),
    async until(check: (status: AgentStatus) => boolean): Promise<AgentStatus> {
      for (let tries = 0; tries < 1000; tries += 1) {
        const last = seen.at(-1);
        if (last !== undefined && check(last)) return last;
        await delay(10);
      }
      throw new Error(`never so; last: ${JSON.stringify(seen.at(-1))}`);
    },
  };
}

const map = mapOf([lease(1, 1), lease(2, 1), lease(3, 2)]);

test('a map wakes it, the kernel wakes it, and it ends without undoing anything', async (t) => {
  const loop = await startLoop(t);
  loop.give(map);
  const first = await loop.until(({ ready }) => ready);
  assert.deepEqual(first.subnets, ['10.244.1.0/24']);
  assert.deepEqual(
    first.leases.map(({ path }) => path),
    ['host-gw', 'vxlan'],
  );
  const good = loop.node.kernel.text();
  loop.node.kernel.sh('link del lw-1');
  loop.ring();
  await loop.until(({ counts }) => counts.passes > first.counts.passes);
  assert.equal(loop.node.kernel.text(), good);
  await loop.stop();
  assert.equal(loop.node.kernel.text(), good);
  assert.deepEqual([...loop.closed].sort(), ['monitor', 'source']);
});

test('without any ring the sweep repairs', async (t) => {
  const loop = await startLoop(t, 50);
  loop.give(map);
  const { counts } = await loop.until(({ ready }) => ready);
  const good = loop.node.kernel.text();
  loop.node.kernel.sh('route del 10.244.2.0/24');
  await loop.until((status) => status.counts.changes > counts.changes);
  assert.equal(loop.node.kernel.text(), good);
});

test('a map that cannot be read is said and changes nothing, and is over with the next good one', async (t) => {
  const loop = await startLoop(t);
  loop.fail('map.json: is not JSON');
  const before = await loop.until(() => true);
  assert.deepEqual([before.ready, before.revision, before.problems], [false, null, ['map.json: is not JSON']]);
  loop.give(map);
  await loop.until(({ ready, problems }) => ready && problems.length === 0);
  const good = loop.node.kernel.text();
  loop.fail('map.json: is not JSON');
  const after = await loop.until(({ problems }) => problems.length > 0);
  assert.equal(after.ready, true, 'the last good map is kept, and kept up');
  assert.equal(loop.node.kernel.text(), good);
});

test('a kernel that cannot be read is a problem of that pass, not the end', async (t) => {
  const loop = await startLoop(t, 50);
  loop.give(map);
  await loop.until(({ ready }) => ready);
  const good = loop.node.kernel.text();
  loop.node.kernel.refuse(/route show/, 'Cannot send dump request');
  await loop.until(({ problems }) => problems.some((text) => text.includes('Cannot send dump request')));
  assert.equal(loop.node.kernel.text(), good);
  loop.node.kernel.refuse(null);
  await loop.until(({ ready }) => ready);
});

test('a problem is logged when it comes and when it is over, not at every pass', async (t) => {
  const loop = await startLoop(t, 20);
  loop.node.settings.set('net/ipv4/ip_forward', '0');
  loop.give(map);
  const { counts } = await loop.until(({ ready }) => ready);
  await loop.until((status) => status.counts.passes > counts.passes + 1);
  loop.node.settings.set('net/ipv4/ip_forward', '1');
  await loop.until(({ problems }) => problems.length === 0);
  const lines = loop.node.log.filter((text) => text.includes('ip_forward is 0'));
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? '', /^over: /);
});

test('peers that vanish in one map are held until two further maps agree', async (t) => {
  const loop = await startLoop(t);
  const all = [1, 2, 3, 4, 5].map((n) => lease(n, n === 1 ? 1 : 2));
  loop.give(mapOf(all));
  await loop.until(({ ready }) => ready);
  for (const held of [4, 4, 0]) {
    const { counts } = loop.seen.at(-1) ?? { counts: { passes: 0 } };
    loop.give(mapOf(all.slice(0, 1)));
    const status = await loop.until((now) => now.counts.passes > counts.passes);
    assert.equal(status.counts.heldPeers, held);
  }
});

test('a device that cannot be made is tried again by the sweep, not by the noise of the trying', async (t) => {
  const loop = await startLoop(t);
  loop.node.kernel.refuse(/^link set lw-1 up/, 'RTNETLINK answers: Address already in use');
  loop.give(map);
  const { counts } = await loop.until(({ problems }) => problems.some((text) => text.startsWith('lw-1')));
  loop.ring();
  await delay(1000);
  assert.equal(loop.seen.at(-1)?.counts.passes, counts.passes);
  loop.node.kernel.refuse(null);
  loop.give(mapOf([lease(1, 1), lease(2, 1)]));
  await loop.until(({ ready }) => ready);
});
