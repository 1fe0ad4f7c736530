import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { type Answer, Stage } from './stage.ts';

const nodes = 200;

test('two hundred claims at once, every record delivered twice and the keeper killed again and again', async (t) => {
  const stage = await Stage.start(t, { nodes, throttle: false });
  await stage.control('POST', 'deliveries', { twice: true });
  // One process after another ends at another of its calls, before or after the call had its effect.
  await stage.fault(
    ...Array.from({ length: 24 }, (_, at) => ({
      service: at % 6 === 5 ? 'ec2' : 'dynamodb',
      caller: 'KeepLeasesFunction',
      skip: at * 7,
      times: 1,
      kill: true,
      after: at % 2 === 1,
    })),
  );
  const ids = Array.from({ length: nodes }, (_, at) => instanceId(at + 1));
  const answers = await claimAll(stage, ids);
  await stage.control('DELETE', 'faults');
  await stage.idle();

  await t.test('every instance ends with exactly one lease, and no subnet is granted twice', async () => {
    const leases = (await stage.items('leases', 'lease#')).filter((item) => item['state'] === 'active');
    assert.equal(leases.length, nodes);
    assert.equal(new Set(leases.map((item) => item['instanceId'])).size, nodes);
    assert.equal(new Set(leases.map((item) => item['subnet'])).size, nodes);
    const bySubnet = new Map(leases.map((item) => [item['subnet'], item['instanceId']]));
    for (const [id, answer] of answers) assert.equal(bySubnet.get(answer.subnet), id);
  });

  await t.test('and every table routes all of them', async () => {
    for (let tick = 0; tick < 20 && stage.ours('rtb-a').length < nodes; tick += 1) {
      await stage.advance(60);
      await stage.schedule('SyncScheduleRule');
    }
    const rows = [...answers].map(([id, answer]) => `${answer.subnet} eni-${id.slice(2)} active`).sort();
    for (const id of tableIds) assert.deepEqual(stage.ours(id), rows, id);
  });
});

test('a returning node never takes back a subnet that another holds, and is told so', async (t) => {
  const stage = await Stage.start(t, { nodes: 2 });
  const [first] = await stage.join(instanceId(1));
  await stage.idle();
  const subnet = first?.subnet ?? '';
  assert.equal((await stage.command({ command: 'release', subnet }))['ok'], true);
  const [second] = await stage.joinWanting({ subnet }, instanceId(2));
  assert.equal(second?.subnet, subnet);
  await stage.idle();
  const [returned] = await stage.join(instanceId(1));
  assert.equal(returned?.status, 'lost');
  assert.notEqual(returned?.subnet, subnet);
  await stage.idle();
  for (const id of tableIds) {
    assert.deepEqual(stage.ours(id), [`${subnet} ${eniId(2)} active`, `${returned?.subnet} ${eniId(1)} active`].sort());
  }
});

/** Claims until every instance is answered for good, as agents do: a claim without an answer is written anew. */
async function claimAll(stage: Stage, ids: readonly string[]): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (let round = 0; round < 40 && answers.size < ids.length; round += 1) {
    const open = ids.filter((id) => !answers.has(id));
    await Promise.all(open.map((id) => stage.claim(id, `${id}-${round}`)));
    for (let look = 0; look < 20 && answers.size < ids.length; look += 1) {
      await sleep(250);
      for (const item of await stage.answers()) {
        const id = item.pk.slice(item.pk.lastIndexOf('/') + 1);
        if (item.status === 'granted' && item.claimId === `${id}-${round}`) answers.set(id, item);
      }
    }
  }
  return answers;
}
