import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { mapOf, partsOf, readPart } from '../../../shared/aws/map-items.ts';
import { dynamoMapStore } from '../../../shared/aws/map-store.ts';
import type { NetworkMap } from '../../../shared/domain/map.ts';
import { mapLease } from '../../contract/lease-samples.ts';
import { mapContent } from '../../contract/map-store-contract.ts';
import { startTables } from './dynamodb-subject.ts';

const pk = 'network#default';

async function subject(t: TestContext) {
  const table = { ...(await startTables(t)), tableName: 'map' };
  const items = async () => {
    const command = new QueryCommand({
      TableName: 'map',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    });
    return (await table.client.send(command)).Items ?? [];
  };
  const store = dynamoMapStore(table);
  const publish = async (content: ReturnType<typeof mapContent>, previous: NetworkMap | null): Promise<NetworkMap> => {
    const map = await store.publish(content, previous, 1234);
    assert.ok(map !== 'conflict');
    return map;
  };
  return {
    ...table,
    store,
    publish,
    items,
    parts: async () => (await items()).filter(({ sk }) => String(sk).startsWith('part#')),
    head: async () => (await table.client.send(new GetCommand({ TableName: 'map', Key: { pk, sk: 'head' } }))).Item,
  };
}

/** The content with one lease changed. */
function changed(content: ReturnType<typeof mapContent>, index: number, eniId: string): ReturnType<typeof mapContent> {
  return { ...content, leases: content.leases.map((lease, at) => (at === index ? { ...lease, eniId } : lease)) };
}

test('parts are about a hundred leases each, a power of two many', () => {
  const leases = Array.from({ length: 1_000 }, (_, index) => mapLease(index));
  const sizes = partsOf(leases).map(({ name, data }) => readPart(name, { data }).length);
  assert.equal(sizes.length, 16);
  assert.ok(
    sizes.every((size) => size >= 30 && size <= 100),
    sizes.join(' '),
  );
  assert.deepEqual(
    [1, 100, 101, 200, 201].map((count) => partsOf(leases.slice(0, count)).length),
    [1, 1, 2, 2, 4],
  );
  assert.deepEqual(partsOf([]), []);
});

test('the same leases make the same parts, in whatever order they come', () => {
  const leases = Array.from({ length: 300 }, (_, index) => mapLease(index));
  const names = (list: typeof leases) => partsOf(list).map(({ name }) => name);
  assert.deepEqual(names([...leases].reverse()), names(leases));
});

test('a lease stays in its part whatever others come and go', () => {
  const leases = Array.from({ length: 200 }, (_, index) => mapLease(index));
  const before = partsOf(leases).map(({ name }) => name);
  const after = partsOf(leases.slice(0, -1)).map(({ name }) => name);
  assert.equal(after.filter((name) => before.includes(name)).length, 1);
});

test('a map out of parts is in the order of its subnets', () => {
  const leases = Array.from({ length: 300 }, (_, index) => mapLease(index));
  const place = { schema: 1, epoch: 1, revision: 1, ...mapContent(0), parts: [], outgoing: [] };
  const parts = partsOf(leases).map(({ name, data }) => readPart(name, { data }));
  assert.deepEqual(mapOf(place, parts.reverse()).leases, leases);
});

test('a change of one lease writes one part and leaves the others alone', async (t) => {
  const { publish, parts } = await subject(t);
  const content = mapContent(300);
  const first = await publish(content, null);
  await publish(changed(content, 7, 'eni-new'), first);
  const revisions = (await parts()).map(({ revision }) => revision).sort();
  assert.deepEqual(revisions, [1, 1, 1, 1, 2]);
});

test('readers of the map before this one find its parts; those of earlier ones go', async (t) => {
  const { publish, parts, head } = await subject(t);
  let map: NetworkMap | null = null;
  for (let revision = 1; revision <= 6; revision += 1) {
    const partsOfLast = ((await head())?.['parts'] ?? []) as string[];
    map = await publish(changed(mapContent(50), 0, `eni-${revision}`), map);
    const there = new Set((await parts()).map(({ sk }) => String(sk)));
    for (const name of partsOfLast) assert.ok(there.has(name));
    assert.ok(there.size <= 2, `${there.size} parts`);
  }
});

test('content that comes back keeps its part', async (t) => {
  const { publish, store } = await subject(t);
  const [one, other] = [changed(mapContent(5), 0, 'eni-a'), changed(mapContent(5), 0, 'eni-b')];
  let map = await publish(one, null);
  for (const content of [other, one, other, one, one, other]) {
    map = await publish(content, map);
    assert.deepEqual(await store.read(), map);
  }
});

test('a publishing that fails before its head changes nothing that a reader sees', async (t) => {
  const { client, network, store, publish } = await subject(t);
  const first = await publish(mapContent(5), null);
  const second = await publish(changed(mapContent(5), 0, 'eni-2'), first);
  const stale = dynamoMapStore({ client, network, tableName: 'map' });
  assert.equal(await stale.publish(changed(mapContent(5), 0, 'eni-3'), first, 1), 'conflict');
  assert.deepEqual(await store.read(), second);
});

test('a part that is missing, or is not what its name says, is no map', async (t) => {
  const { client, store, publish, parts } = await subject(t);
  await publish(mapContent(5), null);
  const [part] = await parts();
  assert.ok(part);
  const other = partsOf([mapLease(9)])[0];
  await client.send(new PutCommand({ TableName: 'map', Item: { ...part, data: other?.data } }));
  assert.equal(await store.read(), 'damaged');
  await client.send(new PutCommand({ TableName: 'map', Item: { ...part, data: Buffer.from('nonsense') } }));
  assert.equal(await store.read(), 'damaged');
  await client.send(new DeleteCommand({ TableName: 'map', Key: { pk, sk: part['sk'] } }));
  assert.equal(await store.read(), 'damaged');
});

test('a damaged map is replaced by the first one of a newer epoch, whatever the clock says', async (t) => {
  const { client, store, publish, parts } = await subject(t);
  const before = await publish(mapContent(5), null);
  const [part] = await parts();
  await client.send(new DeleteCommand({ TableName: 'map', Key: { pk, sk: part?.['sk'] } }));
  const healed = await store.replaceDamaged(mapContent(6), 1);
  assert.deepEqual([healed.revision, healed.epoch > before.epoch], [1, true]);
  assert.deepEqual(await store.read(), healed);
});

test('the parts of a map that was renewed go like any others', async (t) => {
  const { store, publish, parts } = await subject(t);
  const first = await publish(mapContent(5), null);
  const renewed = await store.renew(changed(mapContent(5), 0, 'eni-2'), first, 9999);
  assert.ok(renewed !== 'conflict');
  assert.equal((await parts()).length, 2);
  await publish(changed(mapContent(5), 0, 'eni-3'), renewed);
  assert.equal((await parts()).length, 2);
});

test('a head that cannot be read is damage too', async (t) => {
  const { client, store } = await subject(t);
  await client.send(new PutCommand({ TableName: 'map', Item: { pk, sk: 'head', revision: 'seven' } }));
  assert.equal(await store.read(), 'damaged');
  const healed = await store.replaceDamaged(mapContent(3), 77);
  assert.deepEqual(await store.read(), healed);
});

test('a map too large for an item is refused by name before anything is written', async (t) => {
  const { store, items } = await subject(t);
  const large = mapContent(5, { config: { Protected: 'x'.repeat(400_000) } });
  await assert.rejects(store.publish(large, null, 1), { name: 'InvalidInput', field: 'map.head' });
  assert.deepEqual(await items(), []);
});

test('an answer that was lost does not make a conflict of a publishing that worked', async (t) => {
  const { store, publish, client } = await subject(t);
  const first = await publish(mapContent(5), null);
  // What the SDK does after a lost answer: the same put once more.
  let isLost = true;
  client.middlewareStack.add(
    (next) => async (args) => {
      const output = await next(args);
      const { Item } = args.input as { Item?: { sk?: unknown } };
      if (isLost && Item !== undefined && JSON.stringify(Item.sk).includes('head')) {
        isLost = false;
        return next(args);
      }
      return output;
    },
    { step: 'finalizeRequest', priority: 'high', name: 'lostAnswer' },
  );
  const second = await publish(changed(mapContent(5), 0, 'eni-2'), first);
  assert.equal(isLost, false);
  assert.deepEqual(await store.read(), second);
});

test('networks of one table do not see each other', async (t) => {
  const { client, publish } = await subject(t);
  await publish(mapContent(5), null);
  assert.equal(await dynamoMapStore({ client, network: 'other', tableName: 'map' }).read(), null);
});
