/** EC2's state-change events, in and out of order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstanceState } from '../../../shared/domain/instance-life.ts';
import { handleLifeEvent } from '../../../shared/keeper/life-event.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { netConf, startOfTime, World } from '../../fakes/keeper/world.ts';

async function clusterOf(nodes: number, config: object = netConf): Promise<World> {
  const world = new World(config);
  for (let number = 1; number <= nodes; number += 1) {
    world.ec2.run(number);
    await world.join(`i-${number}`);
  }
  world.now += 1000;
  return world;
}

/** The event reaches the keeper now; its own time may be earlier. */
function event(world: World, instanceId: string, state: InstanceState, time = world.now, session = new Session()) {
  return handleLifeEvent(world.ports(session), { instanceId, state, time });
}

test('a terminated event alone frees the lease, with EC2 away and no longer knowing the instance', async () => {
  const world = await clusterOf(2);
  world.ec2.instances.delete('i-1');
  world.ec2.outage = 'EC2 is away';
  const reads = world.ec2.reads;
  assert.equal(await event(world, 'i-1', 'terminated'), 'released');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released']);
  assert.deepEqual(world.held('i-2'), ['10.244.2.0/24 active']);
  assert.equal(world.ec2.reads, reads);
});

test('a terminated event needs no configuration that can be read', async () => {
  const world = await clusterOf(1);
  world.configure({ Backend: 'nonsense' });
  assert.equal(await event(world, 'i-1', 'terminated'), 'released');
});

test('A10 F7 an instance that is terminated or shutting down keeps no lease, however long the lease would last', async () => {
  const world = await clusterOf(1);
  assert.equal(await event(world, 'i-1', 'shutting-down'), 'leaving');
  assert.equal(await event(world, 'i-1', 'terminated'), 'released');
  const [lease] = world.leases.leases;
  assert.ok(lease?.expiresAt !== null && lease !== undefined && lease.expiresAt > world.now);
});

test('F10 an event of a stranger ends at one read, with no call to EC2 and nothing written', async () => {
  const world = await clusterOf(1);
  const before = structuredClone(world.leases.items);
  for (const state of ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated'] as const) {
    const session = new Session();
    assert.equal(await event(world, 'i-99', state, world.now, session), 'stranger');
    assert.deepEqual(session.log, ['book.readHolder']);
  }
  assert.deepEqual(world.leases.items, before);
});

test('B12 stop withdraws and start restores, after a weekend too, without a human', async () => {
  const world = await clusterOf(1);
  assert.equal(await event(world, 'i-1', 'stopping'), 'leaving');
  world.now += 20;
  world.ec2.instance('i-1').state = 'stopped';
  assert.equal(await event(world, 'i-1', 'stopped'), 'withdrawn');
  assert.equal(world.leases.lease('10.244.1.0/24')?.expiresAt, null);
  for (let days = 0; days < 3; days += 1) {
    world.now += 86_400;
    await sweep(world.ports());
    assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 withdrawn']);
  }
  world.ec2.instance('i-1').state = 'running';
  assert.equal(await event(world, 'i-1', 'pending'), 'noted');
  world.now += 10;
  assert.equal(await event(world, 'i-1', 'running'), 'active');
  assert.equal(world.leases.lease('10.244.1.0/24')?.expiresAt, world.now + 86_400);
  await sweep(world.ports());
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('with WhenStopped keep a stopped instance keeps its route', async () => {
  const world = await clusterOf(1, { ...netConf, Leaseway: { WhenStopped: 'keep' } });
  await event(world, 'i-1', 'stopping');
  world.now += 20;
  assert.equal(await event(world, 'i-1', 'stopped'), 'noted');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 leaving']);
  world.now += 20;
  assert.equal(await event(world, 'i-1', 'running'), 'active');
});

test('running after terminated of one id changes nothing, whatever its time', async () => {
  const world = await clusterOf(1);
  await event(world, 'i-1', 'terminated');
  for (const time of [world.now - 10, world.now, world.now + 10]) {
    assert.equal(await event(world, 'i-1', 'running', time), 'older');
  }
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released']);
  assert.equal((await world.join('i-1')).status, 'refused');
});

test('a late event for an instance that was replaced leaves the new holder of its subnet alone', async () => {
  const world = await clusterOf(1);
  await event(world, 'i-1', 'terminated');
  world.ec2.run(2);
  await world.join('i-2', { subnet: world.leases.leases[0]?.subnet ?? null });
  assert.deepEqual(world.held('i-2'), ['10.244.1.0/24 active']);
  for (const state of ['stopping', 'stopped', 'terminated'] as const) {
    await event(world, 'i-1', state, world.now + 1);
    assert.deepEqual(world.held('i-2'), ['10.244.1.0/24 active'], state);
  }
});

test('events in any order end as their own times say', async () => {
  const story: [InstanceState, number][] = [
    ['stopping', 0],
    ['stopped', 10],
    ['pending', 20],
    ['running', 30],
  ];
  for (const order of permutations([0, 1, 2, 3])) {
    const world = await clusterOf(1);
    const start = world.now;
    world.now += 40;
    for (const index of order) {
      const [state, after] = story[index] ?? ['running', 0];
      await event(world, 'i-1', state, start + after);
    }
    assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active'], `order ${order}`);
    for (const index of order) {
      const [state, after] = story[index] ?? ['running', 0];
      assert.equal(await event(world, 'i-1', state, start + after), 'older', 'a duplicate');
    }
  }
});

test('events of one second end right in either order, because EC2 is asked', async () => {
  const pairs: [InstanceState, InstanceState, string][] = [
    ['stopping', 'stopped', 'withdrawn'],
    ['pending', 'running', 'active'],
    ['stopped', 'running', 'active'],
    ['stopped', 'terminated', 'released'],
    ['shutting-down', 'terminated', 'released'],
  ];
  for (const [first, last, expected] of pairs) {
    for (const order of [
      [first, last],
      [last, first],
    ]) {
      const world = await clusterOf(1);
      world.ec2.instance('i-1').state = last;
      for (const state of order) await event(world, 'i-1', state);
      assert.deepEqual(world.held('i-1'), [`10.244.1.0/24 ${expected}`], order.join(' then '));
    }
  }
});

test('events of one second are left to be called again when EC2 cannot be asked', async () => {
  const world = await clusterOf(1);
  await event(world, 'i-1', 'stopping');
  world.ec2.outage = 'EC2 is away';
  await assert.rejects(event(world, 'i-1', 'stopped'), /EC2 is away/);
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 leaving']);
});

test('a stop that is delivered late withdraws nothing when the instance runs again', async () => {
  const world = await clusterOf(1);
  const stopped = world.now;
  world.now += 3600;
  assert.equal(await event(world, 'i-1', 'stopped', stopped), 'noted');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('a late event counts by its own time when EC2 is away', async () => {
  const world = await clusterOf(1);
  const stopped = world.now;
  world.now += 3600;
  world.ec2.outage = 'EC2 is away';
  assert.equal(await event(world, 'i-1', 'stopped', stopped), 'withdrawn');
});

test('an event and a renewal at the same time both count, in any order of their calls', async () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const world = await clusterOf(1);
    world.claim('i-1');
    await Promise.all([
      world.wake(['i-1'], new Session(null, seed)),
      event(world, 'i-1', 'terminated', world.now, new Session(null, seed + 1000)),
    ]);
    assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released'], `seed ${seed}`);
  }
});

test('a first grant that races with the terminated event is put right by the next sweep', async () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const world = new World();
    world.ec2.run(1);
    world.claim('i-1');
    const grant = world.wake(['i-1'], new Session(null, seed));
    const end = event(world, 'i-1', 'terminated', startOfTime, new Session(null, seed + 1000));
    await Promise.all([grant, end]);
    world.ec2.instance('i-1').state = 'terminated';
    world.now += 300;
    await sweep(world.ports());
    assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released'], `seed ${seed}`);
  }
});

test('an event whose keeper dies at any call is applied by the next call of it', async () => {
  const probe = new Session();
  await event(await clusterOf(1), 'i-1', 'terminated', startOfTime + 1000, probe);
  for (let at = 0; at < probe.calls; at += 1) {
    for (const when of ['before', 'after'] as const) {
      const world = await clusterOf(1);
      const dying = new Session({ at, when, kind: 'kill' });
      await assert.rejects(event(world, 'i-1', 'terminated', world.now, dying));
      await event(world, 'i-1', 'terminated');
      assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released']);
    }
  }
});

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}
