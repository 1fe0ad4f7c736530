/** The node's loop and the real keeper, each at its end of the claims table. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ClaimingOptions } from '../../../agent/claim/claiming.ts';
import { parseAnswer } from '../../../shared/domain/answer.ts';
import { arnOf, startOfTime, World } from '../../fakes/keeper/world.ts';
import { type ClaimBench, claimBench, subnet } from './claim-bench.ts';

/** A life of the agent on `instanceId`, with the keeper awake. */
function live(t: TestContext, world: World, instanceId: string, options: Partial<ClaimingOptions> = {}): ClaimBench {
  const instanceArn = arnOf(instanceId);
  const bench = claimBench(t, {
    instanceArn,
    claims: {
      write: async (claim) => {
        world.now = Math.max(world.now, Math.floor(bench.clock.time / 1000));
        world.claims.write(instanceArn, claim);
        bench.written.push({ ...claim, at: bench.clock.time });
        await world.wake([instanceId]);
      },
      readAnswer: async () => {
        const item = world.claims.answers.get(instanceArn);
        return item === undefined ? null : parseAnswer(item);
      },
    },
    ...options,
  });
  bench.clock.time = startOfTime * 1000;
  return bench;
}

const minute = 60_000;
const held = (bench: ClaimBench) => bench.claiming.status().subnet?.text;

async function settle(bench: ClaimBench): Promise<void> {
  await bench.clock.advanceUntil(() => !bench.claiming.isWaiting(), 5 * minute);
}

test('a new node is granted a subnet, and keeps it over renewals and restarts', async (t) => {
  const world = new World();
  const first = live(t, world, world.ec2.run(1));
  await settle(first);
  const own = held(first);
  assert.match(own ?? '', /^10\.244\.\d+\.0\/24$/);
  first.leaseSeconds = 3_600;
  await first.clock.advance(60 * minute);
  assert.ok(first.written.length >= 4, `${first.written.length} claims in an hour`);
  assert.equal(held(first), own);
  await first.claiming.close();

  const second = live(t, world, 'i-1', { previous: subnet(own ?? '') });
  await settle(second);
  assert.equal(held(second), own);
  assert.deepEqual(second.log.warnings, []);
});

test('a node whose subnet.env names a free subnet gets that one', async (t) => {
  const world = new World();
  const bench = live(t, world, world.ec2.run(1), { previous: subnet('10.244.77.0/24') });
  await settle(bench);
  assert.equal(held(bench), '10.244.77.0/24');
});

test('G4: a node that comes back to a subnet of another gets a new one, and is told', async (t) => {
  const world = new World();
  await world.join(world.ec2.run(2), { subnet: subnet('10.244.77.0/24') });
  const bench = live(t, world, world.ec2.run(1), { previous: subnet('10.244.77.0/24') });
  bench.old = [{ dev: 'cni0', isBridge: true, address: '10.244.77.1/24' }];
  await settle(bench);
  assert.notEqual(held(bench), '10.244.77.0/24');
  assert.match(bench.log.warnings.join('\n'), /is held by i-2/);
  assert.match(bench.claiming.status().problems.join(), /cni0 still has 10\.244\.77\.1\/24/);
  assert.deepEqual(world.held('i-2'), ['10.244.77.0/24 active']);
});

test('a node that hands its lease back frees the subnet at once', async (t) => {
  const world = new World();
  const bench = live(t, world, world.ec2.run(1));
  await settle(bench);
  const subnet1 = held(bench);
  await bench.claiming.release();
  assert.deepEqual(world.held('i-1'), [`${subnet1} released`]);
});

test('a wish outside the network, of a network that was, gives way', async (t) => {
  const world = new World();
  const bench = live(t, world, world.ec2.run(1), { previous: subnet('10.42.7.0/24') });
  await settle(bench);
  assert.match(held(bench) ?? '', /^10\.244\./);
});

test('--subnet that another holds is refused until it is free', async (t) => {
  const world = new World();
  await world.join(world.ec2.run(2), { subnet: subnet('10.244.77.0/24') });
  const bench = live(t, world, world.ec2.run(1), { subnet: subnet('10.244.77.0/24') });
  await settle(bench);
  assert.match(bench.claiming.status().problems.join(), /10\.244\.77\.0\/24 is held by i-2/);
  assert.deepEqual(world.held('i-1'), []);
  const lease = world.leases.lease('10.244.77.0/24') ?? assert.fail('no lease');
  world.leases.put({ ...lease, state: 'released', releasedAt: world.now });
  await bench.clock.advanceUntil(() => held(bench) === '10.244.77.0/24', 3 * minute);
});

test('an instance that EC2 does not list yet is waited for', async (t) => {
  const world = new World();
  const bench = live(t, world, 'i-1');
  await bench.clock.advance(10_000);
  assert.match(bench.claiming.status().problems.join(), /EC2 does not list i-1 yet/);
  world.ec2.run(1);
  await settle(bench);
  assert.equal(bench.claiming.status().state, 'granted');
});
