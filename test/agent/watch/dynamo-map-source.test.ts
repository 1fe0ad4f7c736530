import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { subnetsOf } from './listener.ts';
import { mapBench, pk, remember } from './map-bench.ts';

const three = ['10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24'];
const minute = 60_000;

test('a map is told once for each revision', async (t) => {
  const bench = await mapBench(t);
  await bench.publish(three.slice(0, 2));
  const { clock, heard } = bench.live();
  await clock.advance(minute);
  assert.deepEqual(heard.maps.map(subnetsOf), [three.slice(0, 2)]);
  await bench.publish(three);
  await clock.advance(minute);
  assert.deepEqual(
    heard.maps.map(({ revision }) => revision),
    [1, 2],
  );
  assert.deepEqual(subnetsOf(heard.maps[1]), three);
  assert.deepEqual(heard.problems, []);
});

test('the head is asked for every 5 s, and every second while the node waits', async (t) => {
  const bench = await mapBench(t);
  await bench.publish(three);
  const { clock } = bench.live();
  await clock.settled();
  const polls = async (milliseconds: number) => {
    bench.asked.length = 0;
    await clock.advance(milliseconds);
    return bench.asked.filter((key) => key === 'head').length;
  };
  assert.equal(await polls(20 * 5_000), 20);
  bench.waiting = true;
  await clock.advance(5_000);
  assert.equal(await polls(20 * 1_000), 20);
});

test('only parts that are not at hand are fetched', async (t) => {
  const bench = await mapBench(t);
  const many = Array.from({ length: 240 }, (_, index) => `10.244.${index}.0/24`);
  await bench.publish(many);
  const { clock, heard } = bench.live();
  await clock.advance(10_000);
  const first = bench.asked.filter((key) => key.startsWith('part#')).length;
  assert.ok(first > 1, 'the leases are spread over parts');
  bench.asked.length = 0;
  await bench.publish([...many, '10.244.250.0/24']);
  await clock.advance(10_000);
  assert.equal(bench.asked.filter((key) => key.startsWith('part#')).length, 1);
  assert.equal(heard.maps.at(-1)?.leases.length, 241);
});

for (const [way, damage, problem] of [
  ['a part is missing', { part: null }, /part#[0-9a-f]{64}: is missing/],
  ['a part has another hash', { part: { data: gzipSync('[]') } }, /has another hash/],
  ['a part cannot be unpacked', { part: { data: Buffer.from('no gzip') } }, /cannot be unpacked/],
  ['the head is of another schema', { head: { schema: 2 } }, /map\.head\.schema: is another schema/],
  ['the head is no head', { head: { parts: 'none' } }, /map\.head\.parts: is not a list/],
  ['the configuration is none', { head: { config: '{"Network": "10.244.0.0/16"}' } }, /map\.config/],
  ['the head is of another network', { head: { network: 'other' } }, /is of the network other, not of default/],
] as const) {
  test(`${way}: the last map stays, and what follows is taken`, async (t) => {
    const bench = await mapBench(t);
    await bench.publish(three);
    const { clock, heard } = bench.live();
    await clock.advance(10_000);
    await bench.publish(three.slice(1));
    const documents = bench.world.documents;
    const { Item: head } = await documents.send(new GetCommand({ TableName: 'map', Key: { pk, sk: 'head' } }));
    assert.ok(head);
    const name = String(head['parts'][0]);
    if ('head' in damage) await documents.send(new PutCommand({ TableName: 'map', Item: { ...head, ...damage.head } }));
    else if (damage.part === null) await documents.send(new DeleteCommand({ TableName: 'map', Key: { pk, sk: name } }));
    else await documents.send(new PutCommand({ TableName: 'map', Item: { pk, sk: name, ...damage.part } }));

    await clock.advance(minute);
    assert.equal(heard.maps.length, 1, 'nothing was withdrawn');
    assert.ok(heard.problems.length >= 5, 'each failed reading is told');
    assert.ok(
      heard.problems.every((text) => problem.test(text)),
      heard.problems[0],
    );

    await documents.send(new PutCommand({ TableName: 'map', Item: head }));
    await bench.publish(three.slice(2));
    await clock.advance(minute);
    assert.deepEqual(subnetsOf(heard.maps.at(-1)), three.slice(2));
  });
}

test('DynamoDB away for ten minutes: nothing is withdrawn; back again, the map is told anew', async (t) => {
  const bench = await mapBench(t);
  await bench.publish(three);
  const { clock, heard } = bench.live();
  await clock.advance(10_000);
  bench.shut = true;
  await clock.advance(10 * minute);
  assert.equal(heard.maps.length, 1);
  assert.ok(heard.problems.length > 50, `${heard.problems.length}`);
  bench.shut = false;
  await clock.advance(10_000);
  assert.deepEqual(heard.maps.map(subnetsOf), [three, three]);
  await bench.publish(three.slice(1));
  await clock.advance(10_000);
  assert.deepEqual(subnetsOf(heard.maps.at(-1)), three.slice(1));
});

test('R9: an older revision of the same epoch never replaces, a newer epoch does', async (t) => {
  const bench = await mapBench(t);
  await bench.publish(three);
  await bench.publish(three.slice(1));
  const { clock, heard } = bench.live();
  await clock.advance(10_000);
  const documents = bench.world.documents;
  const { Item: head } = await documents.send(new GetCommand({ TableName: 'map', Key: { pk, sk: 'head' } }));
  const put = (more: object) => documents.send(new PutCommand({ TableName: 'map', Item: { ...head, ...more } }));

  await put({ revision: 1 });
  await clock.advance(minute);
  assert.deepEqual(
    heard.maps.map(({ revision }) => revision),
    [2],
  );
  assert.match(heard.problems[0] ?? '', /revision 1 of epoch 1000, which is older than revision 2/);

  await put({ revision: 9, epoch: 999 });
  await clock.advance(minute);
  assert.equal(heard.maps.length, 1);

  await put({ revision: 1, epoch: 2_000 });
  await clock.advance(10_000);
  assert.equal(heard.maps.at(-1)?.epoch, 2_000);
});

test('no map yet is no empty map', async (t) => {
  const bench = await mapBench(t);
  const { clock, heard } = bench.live();
  await clock.advance(minute);
  assert.deepEqual(heard.maps, []);
  assert.match(heard.problems[0] ?? '', /no map of the network default is published yet/);
});

test('a restarted agent goes on with the last map while DynamoDB is away', async (t) => {
  const bench = await mapBench(t);
  await bench.publish(three);
  const first = bench.live();
  await first.clock.advance(10_000);
  await first.source.close();
  await remember(bench, 'boot-1', 1);
  bench.shut = true;
  const { clock, heard } = bench.live('boot-1');
  await clock.advance(minute);
  assert.deepEqual(heard.maps.map(subnetsOf), [three]);
  assert.ok(heard.problems.length > 0);
});

for (const [name, expiresIn, expected] of [
  ['until its own lease expires', 60, 1],
  ['not once its own lease has expired', -60, 0],
] as const) {
  test(`after a reboot without DynamoDB the last map is used ${name}`, async (t) => {
    const bench = await mapBench(t);
    await bench.publish(three);
    const first = bench.live();
    await first.clock.advance(10_000);
    await first.source.close();
    await remember(bench, 'boot-1', Math.floor(first.clock.time / 1000) + expiresIn);
    bench.shut = true;
    const { clock, heard } = bench.live('boot-2', first.clock.time);
    await clock.advance(minute);
    assert.equal(heard.maps.length, expected);
    if (expected === 0) assert.match(bench.log.infos.join(), /the own lease 10\.244\.1\.0\/24 expired/);

    bench.shut = false;
    await clock.advance(10_000);
    assert.deepEqual(subnetsOf(heard.maps.at(-1)), three, 'the table itself is always believed');
  });
}

test('the map on disk is at most 10 s behind, and the last one at the end', async (t) => {
  const bench = await mapBench(t);
  const path = join(bench.stateDir, 'map.json');
  const saved = async () => (JSON.parse(await readFile(path, 'utf8')) as { revision: number }).revision;
  await bench.publish(three);
  const { clock, source } = bench.live();
  await clock.settled();
  assert.equal(await saved(), 1);
  await bench.publish(three.slice(1));
  await clock.advance(5_000);
  assert.equal(await saved(), 1);
  await clock.advance(6_000);
  assert.equal(await saved(), 2);
  await bench.publish(three);
  await clock.advance(5_000);
  await source.close();
  assert.equal(await saved(), 3);
});

test('a closed source says nothing more', async (t) => {
  const bench = await mapBench(t);
  await bench.publish(three);
  const { source, clock, heard } = bench.live();
  await clock.advance(10_000);
  await source.close();
  await bench.publish(three.slice(1));
  assert.equal(heard.maps.length, 1);
});
