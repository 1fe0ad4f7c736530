import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { mergedReport, reportExit, resyncPasses } from '../../cli/resync-passes.ts';
import type { Stack } from '../../cli/stack-functions.ts';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

function lease(n: number, now: number) {
  return {
    subnet: `10.244.${n}.0/24`,
    instanceId: instanceId(n),
    eniId: eniId(n),
    nodeIp: `10.0.${(n % 3) * 64}.${n}`,
    subnetId: `subnet-${n % 3}`,
    acquiredAt: now - 3600,
    expiresAt: now + 86_400,
  };
}

for (const nodes of [3, 8, 100]) {
  test(`${nodes} nodes: an emptied or half restored lease table removes nothing`, async (t) => {
    const stage = await seeded(t, nodes);
    const tables = tableIds.map((id) => stage.ours(id));
    assert.equal(tables[0]?.length, nodes);
    const map = await partsOf(stage);
    const items = await stage.items('leases', 'lease#');

    for (const kept of [Math.floor(nodes / 2), 0]) {
      await t.test(`${kept} left`, async () => {
        stage.forget();
        await remove(stage, items.slice(kept));
        await stage.idle();
        await stage.schedule('SyncScheduleRule');
        assert.deepEqual(
          tableIds.map((id) => stage.ours(id)),
          tables,
        );
        assert.deepEqual(await partsOf(stage), map);
        const report = await stage.resync();
        assert.equal(report['status'], 'refused');
        assert.deepEqual(stage.writes(), []);
      });
    }
    if (nodes === 100) return;

    await t.test('and the digest lets it through', async () => {
      const { guard } = (await stage.resync({ dryRun: true })) as { guard: { digest: string } };
      await stage.resync({ force: guard.digest });
      for (const id of tableIds) assert.deepEqual(stage.ours(id), []);
    });
  });
}

test('200 nodes: what was shown and forced goes through in as many passes as it takes, and a wrong digest says so', async (t) => {
  const stage = await seeded(t, 200);
  await remove(stage, await stage.items('leases', 'lease#'));
  await stage.idle();
  const requests: object[] = [];
  const stack: Stack = {
    call: async (_name, request) => {
      requests.push(request);
      return stage.resync(request);
    },
  };
  const resync = async (force: string) => mergedReport(await resyncPasses(stack, { force }, () => {}));
  stage.forget();
  const wrong = await resync('00000000000000aa');
  assert.match(wrong.message ?? '', /^--force 00000000000000aa: what is held back now has the digest [0-9a-f]{16}/);
  assert.deepEqual(stage.writes(), []);

  requests.length = 0;
  const { digest } = wrong.guard;
  assert.ok(digest);
  const forced = await resync(digest);
  assert.ok(requests.length > 1, `${requests.length} passes`);
  assert.deepEqual([reportExit(forced), forced.message], [0, null]);
  for (const id of tableIds) assert.deepEqual(stage.ours(id), []);

  const again = await resync(digest);
  assert.equal(again.message, `--force ${digest}: nothing is held back under this digest: nothing was let through`);
});

test('a nightly scale-in from a hundred nodes to ten is not held back', async (t) => {
  const stage = await seeded(t, 100);
  const kept = stage.ours('rtb-a').filter((row) => Number(row.split('.')[2]) <= 10);
  assert.equal(kept.length, 10);
  for (let n = 11; n <= 100; n += 1) await stage.event(instanceId(n), 'terminated', stage.now());
  await stage.idle();
  await stage.schedule('SyncScheduleRule');
  for (const id of tableIds) assert.deepEqual(stage.ours(id), kept, id);
  const report = await stage.resync();
  assert.equal(report['status'], 'ok', JSON.stringify(report).slice(0, 500));
});

/** Leases whose routes are there and confirmed in the map. */
async function seeded(t: TestContext, nodes: number): Promise<Stage> {
  const now = Math.floor(Date.now() / 1000);
  const leases = Array.from({ length: nodes }, (_, at) => lease(at + 1, now));
  const stage = await Stage.start(t, { nodes, leases, routed: true });
  await stage.schedule('SyncScheduleRule');
  await stage.advance(60);
  await stage.schedule('SyncScheduleRule');
  return stage;
}

async function partsOf(stage: Stage): Promise<unknown> {
  return (await stage.items('map', 'head'))[0]?.['parts'];
}

async function remove(stage: Stage, items: readonly Record<string, unknown>[]): Promise<void> {
  for (let at = 0; at < items.length; at += 25) {
    const requests = items.slice(at, at + 25).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await stage.dynamo.send(new BatchWriteCommand({ RequestItems: { [stage.names.leases]: requests } }));
  }
}
