/** 200 claims at once, delivered twice, over two shards, the keeper killed between any two calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlaps } from '../../../shared/domain/cidr.ts';
import { isHeld } from '../../../shared/domain/lease.ts';
import { answerClaims } from '../../../shared/keeper/answer-claims.ts';
import type { ClaimRecord } from '../../../shared/keeper/read-claims.ts';
import { randomOf, Session } from '../../fakes/keeper/faults.ts';
import { arnOf, served, World } from '../../fakes/keeper/world.ts';

/** One shard: batches in order, each repeated from its first failure until it goes through; a killed keeper starts anew. */
async function drain(
  world: World,
  records: readonly ClaimRecord[],
  random: () => number,
  faults: number,
): Promise<void> {
  let at = 0;
  let left = faults;
  for (let tries = 0; at < records.length; tries += 1) {
    assert.ok(tries < 10_000, 'the shard comes to an end');
    const batch = records.slice(at, at + 1 + Math.floor(random() * 40));
    const kind = random() < 0.5 ? 'kill' : 'error';
    const when = random() < 0.5 ? 'before' : 'after';
    const fault = left > 0 ? ({ at: Math.floor(random() * 3 * batch.length), when, kind } as const) : null;
    left -= 1;
    const session = new Session(fault, Math.floor(random() * 1e9));
    try {
      const report = await answerClaims(world.ports(session), batch, served);
      if (session.isDead) continue; // its result died with it
      const failed = batch.findIndex(({ sequenceNumber }) => sequenceNumber === report.firstFailed);
      at += failed === -1 ? batch.length : failed;
    } catch {
      // All of the batch comes again.
    }
  }
}

function assertNobodyShares(world: World): void {
  const held = world.leases.leases.filter(({ state }) => isHeld(state));
  for (const [index, lease] of held.entries()) {
    for (const other of held.slice(index + 1)) {
      assert.ok(!overlaps(lease.subnet, other.subnet), `${lease.subnet.text} is held once`);
      assert.notEqual(lease.instanceId, other.instanceId, 'an instance holds one lease');
      assert.notEqual(lease.vtepMac, other.vtepMac);
    }
  }
}

/** At every moment of the table's history, as its stream tells it. */
function assertNeverShared(world: World): void {
  const holderOf = new Map<string, unknown>();
  for (const { key, before, after } of world.leases.stream) {
    if (!key.startsWith('lease#')) continue;
    const wasHeld = before !== undefined && isHeld(before['state'] as never);
    if (wasHeld) assert.equal(before['instanceId'], after['instanceId'], `${key} is taken from nobody`);
    if (!isHeld(after['state'] as never)) holderOf.delete(key);
    else holderOf.set(key, after['instanceId']);
    assert.equal(new Set(holderOf.values()).size, holderOf.size, 'no instance has two subnets at any time');
  }
}

for (const seed of [1, 2, 3]) {
  test(`200 claims over two shards, twice each, with crashes and concurrent keepers: one lease each (seed ${seed})`, async () => {
    const world = new World();
    const random = randomOf(seed);
    const ids = Array.from({ length: 200 }, (_, index) => world.ec2.run(index + 1));
    for (const id of ids) world.claim(id);
    const shards: ClaimRecord[][] = [[], []];
    ids.forEach((id, index) => {
      const record = { instanceArn: arnOf(id), sequenceNumber: String(index + 1) };
      shards[index % 2]?.push(record, { ...record, sequenceNumber: `${index + 1}-again` });
    });
    // A third keeper works on the first shard at the same time: an earlier invocation that was given up but lives on.
    const third = shards[0]?.slice(0, 120) ?? [];
    await Promise.all([...shards, third].map((records) => drain(world, records, random, 25)));

    // A batch that met EC2 in trouble was told pending; these nodes claim again, as they do.
    const waiting = ids.filter((id) => world.answer(id).status === 'pending');
    for (const id of waiting) {
      const answer = world.answer(id);
      assert.match('reason' in answer ? `${answer.reason}` : '', /^EC2 |source\/destination check|faster/);
      await world.join(id);
    }

    for (const id of ids) {
      assert.equal(world.held(id).length, 1, `${id} holds one lease`);
      assert.equal(world.answer(id).status, 'granted');
      const answer = world.answer(id);
      assert.ok('subnet' in answer && world.held(id)[0] === `${answer.subnet.text} active`, 'and was told which');
    }
    assert.equal(world.leases.leases.length, 200);
    assertNobodyShares(world);
    assertNeverShared(world);
  });
}

test('a keeper killed before or after any call of a batch leaves nothing that the next one does not put right', async () => {
  const joinAll = async (session: Session, world: World) => {
    const records = [1, 2, 3].map((number) => ({ instanceArn: arnOf(`i-${number}`), sequenceNumber: String(number) }));
    return answerClaims(world.ports(session), records, served);
  };
  const start = () => {
    const world = new World();
    for (const number of [1, 2, 3]) world.claim(world.ec2.run(number));
    return world;
  };
  const probe = new Session();
  await joinAll(probe, start());
  assert.ok(probe.calls > 12, `${probe.calls} calls to die at`);
  for (let at = 0; at < probe.calls; at += 1) {
    for (const when of ['before', 'after'] as const) {
      for (const kind of ['kill', 'error'] as const) {
        const world = start();
        await joinAll(new Session({ at, when, kind }), world).catch(() => {});
        assertNobodyShares(world);
        const report = await joinAll(new Session(), world);
        const where = `${kind} ${when} call ${at} (${probe.log[at]})`;
        assert.equal(report.firstFailed, null, where);
        for (const number of [1, 2, 3]) {
          // A batch that met EC2 in trouble said pending; the node repeats its claim then.
          if (world.answer(`i-${number}`).status === 'pending') await world.join(`i-${number}`);
          assert.equal(world.answer(`i-${number}`).status, 'granted', where);
          assert.equal(world.held(`i-${number}`).length, 1, where);
        }
        assertNobodyShares(world);
        assertNeverShared(world);
      }
    }
  }
});

test('two keepers that work on the same claim at the same time grant one lease, in any order of their calls', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const world = new World();
    world.claim(world.ec2.run(1));
    await Promise.all([1, 2, 3].map((n) => world.wake(['i-1'], new Session(null, seed * 3 + n))));
    assert.equal(world.held('i-1').length, 1);
    assert.equal(world.leases.leases.length, 1);
    assert.equal(world.answer('i-1').status, 'granted');
    assertNeverShared(world);
  }
});

test('a node that lost its subnet is told so though the keeper dies between any two calls', async () => {
  const start = async () => {
    const world = new World();
    world.ec2.run(1);
    await world.join('i-1');
    // i-1 went away, its lease ran out, and another holds the subnet now.
    const [lease] = world.leases.leases;
    assert.ok(lease);
    world.leases.put({
      ...lease,
      instanceId: 'i-2',
      instanceArn: arnOf('i-2'),
      vtepMac: '0a:00:00:00:00:02',
      version: lease.version + 1,
    });
    world.claim('i-1');
    return world;
  };
  const probe = new Session();
  await (await start()).wake(['i-1'], probe);
  for (let at = 0; at < probe.calls; at += 1) {
    for (const when of ['before', 'after'] as const) {
      const world = await start();
      await world.wake(['i-1'], new Session({ at, when, kind: 'kill' })).catch(() => {});
      world.now += 5;
      const answer = await world.join('i-1'); // the node repeats its claim, with another id
      const where = `killed ${when} call ${at} (${probe.log[at]})`;
      assert.equal(answer.status, 'lost', where);
      assert.deepEqual(world.held('i-1'), ['10.244.2.0/24 active'], where);
      assert.deepEqual(world.held('i-2'), ['10.244.1.0/24 active'], where);
    }
  }
});
