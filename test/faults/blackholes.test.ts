import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eniId, foreignRows, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test('blackholes of ours are repaired or removed in both shapes, and those of others stay', async (t) => {
  const stage = await Stage.start(t, { nodes: 3 });
  const [first] = await stage.join(instanceId(1));
  await stage.idle();
  const subnet = first?.subnet ?? '';
  const foreign = stage.foreign();
  const shapes: [string, Record<string, string>][] = [
    ['with the dead ids', { NetworkInterfaceId: 'eni-0dead' }],
    ['without ids', {}],
  ];
  for (const [name, ids] of shapes) {
    await t.test(`of a live lease, ${name}: one replace`, async () => {
      await stage.plant('rtb-b', blackhole(subnet, ids));
      assert.match(stage.ours('rtb-b').join('\n'), /blackhole/);
      stage.forget();
      await stage.schedule('SyncScheduleRule');
      assert.deepEqual(stage.writes(), [`ReplaceRoute rtb-b ${subnet}`]);
      assert.deepEqual(stage.ours('rtb-b'), [`${subnet} ${eniId(1)} active`]);
    });
    await t.test(`of no lease, ${name}: deleted`, async () => {
      await stage.plant('rtb-c', blackhole('10.244.99.0/24', ids));
      stage.forget();
      await stage.schedule('SyncScheduleRule');
      assert.deepEqual(stage.writes(), ['DeleteRoute rtb-c 10.244.99.0/24']);
    });
  }
  await t.test('outside the range: untouched', () => {
    assert.ok(foreignRows.some((row) => row['State'] === 'blackhole'));
    assert.equal(stage.foreign(), foreign);
  });
  for (const id of tableIds) assert.deepEqual(stage.ours(id), [`${subnet} ${eniId(1)} active`]);
});

function blackhole(destination: string, ids: Readonly<Record<string, string>>) {
  return { DestinationCidrBlock: destination, ...ids, Origin: 'CreateRoute', State: 'blackhole' };
}
