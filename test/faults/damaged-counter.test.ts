import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test('a counter that is no number stops the sync by its name, takes no route, and is mended by the next sweep', async (t) => {
  const stage = await Stage.start(t, { nodes: 4 });
  await stage.join(...[1, 2, 3].map(instanceId));
  await stage.idle();
  const rows = stage.ours('rtb-a');
  assert.equal(rows.length, 3);
  const Item = { pk: 'network#default', sk: 'counter', n: 'many' };
  await stage.dynamo.send(new PutCommand({ TableName: stage.names.leases, Item }));
  const stopped = await stage.resync();
  assert.equal(stopped['status'], 'failed');
  assert.match(String(stopped['message']), /counter\.n/);
  await stage.schedule('SweepScheduleRule');
  assert.equal((await stage.resync())['status'], 'ok');
  await stage.join(instanceId(4));
  await stage.idle();
  for (const id of tableIds) {
    assert.deepEqual(
      rows.filter((row) => !stage.ours(id).includes(row)),
      [],
    );
    assert.equal(stage.ours(id).length, 4);
  }
});
