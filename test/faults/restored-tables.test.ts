import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { dynamoMapStore } from '../../shared/aws/map-store.ts';
import type { NetworkMap } from '../../shared/domain/map.ts';
import { isEarlier } from '../../shared/domain/map-place.ts';
import { instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

type Item = Readonly<Record<string, unknown>>;
type TableName = keyof Stage['names'];

test('a map table put back to an hour ago: nodes take the very next map', async (t) => {
  const stage = await Stage.start(t, { nodes: 4, backend: { Fallback: { Type: 'vxlan' } } });
  await settle(stage, 1, 2);
  const backup = await itemsOf(stage, 'map');
  await stage.advance(3600);
  await settle(stage, 3, 4);
  const seen = await mapOf(stage);
  await restore(stage, 'map', backup);
  assert.ok(isEarlier(await mapOf(stage), seen));
  await stage.schedule('SyncScheduleRule');
  const next = await mapOf(stage);
  assert.ok(!isEarlier(next, seen), `${next.epoch} ${next.revision} is not after ${seen.epoch} ${seen.revision}`);
  assert.equal(next.leases.length, 4);
  await stage.advance(60);
  await stage.schedule('SyncScheduleRule');
  assert.deepEqual(await mapOf(stage), next, 'once');
});

test('a leases table put back to an hour ago', async (t) => {
  const stage = await Stage.start(t, { nodes: 8 });
  await settle(stage, 1, 2, 3, 4);
  const backup = await itemsOf(stage, 'leases');
  await stage.advance(3600);
  const subnets = await settle(stage, 5, 6);
  const rows = stage.ours('rtb-a');
  assert.equal(rows.length, 6);
  await restore(stage, 'leases', backup);
  stage.forget();

  await t.test('takes no route and no place in the map from nodes that joined since', async () => {
    for (let tick = 0; tick < 3; tick += 1) {
      await stage.schedule('SyncScheduleRule');
      await stage.advance(60);
    }
    assert.deepEqual(stage.writes(), []);
    assert.equal((await mapOf(stage)).leases.length, 6);
  });

  await t.test('gives their subnets to nobody else', async () => {
    const [newcomer] = await settle(stage, 7);
    assert.ok(newcomer !== undefined && !subnets.includes(newcomer), newcomer);
    for (const id of tableIds)
      assert.deepEqual(
        stage.ours(id).filter((row) => rows.includes(row)),
        rows,
        id,
      );
  });

  await t.test('has them again with their next claims', async () => {
    for (const [at, n] of [5, 6].entries()) {
      const subnet = subnets[at];
      const [answer] = await stage.joinWanting({ subnet }, instanceId(n));
      assert.deepEqual([answer?.status, answer?.subnet], ['granted', subnet]);
    }
    await stage.idle();
    await stage.schedule('SyncScheduleRule');
    assert.equal((await stage.resync())['status'], 'ok');
    assert.ok(
      stage.writes().every((write) => write.startsWith('CreateRoute')),
      stage.writes().join(),
    );
  });
});

test('a claims table put back to an hour ago changes no lease and no route', async (t) => {
  const stage = await Stage.start(t, { nodes: 4 });
  const [, subnet] = await settle(stage, 1, 2, 3);
  const backup = await itemsOf(stage, 'claims');
  await stage.advance(3600);
  // Since then one node renewed, one lost its subnet to another, and one died.
  await stage.join(instanceId(1));
  await stage.command({ command: 'release', subnet });
  await stage.joinWanting({ subnet }, instanceId(4));
  await stage.join(instanceId(2));
  await stage.event(instanceId(3), 'terminated', stage.now());
  await stage.idle();
  const leases = await itemsOf(stage, 'leases');
  const rows = tableIds.map((id) => stage.ours(id));
  stage.forget();
  await restore(stage, 'claims', backup);
  await stage.idle();
  assert.deepEqual(await itemsOf(stage, 'leases'), leases);
  await stage.schedule('SyncScheduleRule');
  assert.deepEqual(
    tableIds.map((id) => stage.ours(id)),
    rows,
  );
  assert.deepEqual(stage.writes(), []);
  const [answer] = await stage.join(instanceId(1));
  assert.equal(answer?.status, 'granted');
});

/** Nodes that join, with their routes confirmed in the map. Gives their subnets. */
async function settle(stage: Stage, ...nodes: readonly number[]): Promise<string[]> {
  const answers = await stage.join(...nodes.map(instanceId));
  await stage.idle();
  for (let tick = 0; tick < 2; tick += 1) {
    await stage.schedule('SyncScheduleRule');
    await stage.advance(60);
    await stage.idle();
  }
  return answers.map(({ subnet }) => subnet ?? '');
}

async function itemsOf(stage: Stage, table: TableName): Promise<Item[]> {
  const pages = paginateScan({ client: stage.dynamo }, { TableName: stage.names[table], ConsistentRead: true });
  const items: Item[] = [];
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
}

/** As an operator does it, who copies a restored table's items over the live ones. */
async function restore(stage: Stage, table: TableName, backup: readonly Item[]): Promise<void> {
  const TableName = stage.names[table];
  const kept = new Set(backup.map(keyText));
  for (const item of await itemsOf(stage, table)) {
    if (kept.has(keyText(item))) continue;
    await stage.dynamo.send(new DeleteCommand({ TableName, Key: { pk: item['pk'], sk: item['sk'] } }));
  }
  for (const Item of backup) await stage.dynamo.send(new PutCommand({ TableName, Item }));
  await stage.idle();
}

function keyText({ pk, sk }: Item): string {
  return `${pk} ${sk}`;
}

/** The map that a node reads. */
async function mapOf(stage: Stage): Promise<NetworkMap> {
  const store = dynamoMapStore({ client: stage.dynamo, tableName: stage.names.map, network: 'default' });
  const map = await store.read();
  assert.ok(map !== null && map !== 'damaged');
  return map;
}
