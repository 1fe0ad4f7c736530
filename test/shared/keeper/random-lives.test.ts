/**
 * Random lives of a small cluster: claims, stops, starts and ends, events that come late, twice, in another order or
 * never, sweeps, releases, outages of EC2, and keepers that die between any two calls.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InstanceState, instanceStates } from '../../../shared/domain/instance-life.ts';
import { isHeld, type LeaseState } from '../../../shared/domain/lease.ts';
import { handleLifeEvent, type LifeEvent } from '../../../shared/keeper/life-event.ts';
import { runCommand } from '../../../shared/keeper/run-command.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { randomOf, Session } from '../../fakes/keeper/faults.ts';
import { netConf, World } from '../../fakes/keeper/world.ts';

/** Room for four, and up to twelve instances: subnets are taken over all the time. */
const small = { ...netConf, Network: '10.244.0.0/22', SubnetMin: '10.244.0.0' };

const nextStates: Record<InstanceState, readonly InstanceState[]> = {
  pending: ['running', 'terminated'],
  running: ['stopping', 'shutting-down'],
  stopping: ['stopped'],
  stopped: ['pending', 'terminated'],
  'shutting-down': ['terminated'],
  terminated: [],
};

async function live(seed: number): Promise<World> {
  const world = new World(small);
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const posted: LifeEvent[] = [];
  const session = () => {
    const fault = { at: Math.floor(random() * 8), when: pick(['before', 'after'] as const) ?? 'before' };
    const isFaulty = random() < 0.3;
    const kind = random() < 0.5 ? ('kill' as const) : ('error' as const);
    return new Session(isFaulty ? { ...fault, kind } : null, Math.floor(random() * 1e9));
  };
  const survive = (work: Promise<unknown>) => work.catch(() => undefined);
  const ids = () => [...world.ec2.instances.keys()];

  const happenings: (() => Promise<unknown>)[] = [
    async () => {
      if (ids().length < 12) world.ec2.run(ids().length + 1, 'pending');
    },
    async () => {
      const id = pick(ids());
      const next = id === undefined ? undefined : pick(nextStates[world.ec2.instance(id).state]);
      if (id === undefined || next === undefined) return;
      world.ec2.instance(id).state = next;
      if (random() < 0.8) posted.push({ instanceId: id, state: next, time: world.now });
      if (random() < 0.2) posted.push({ instanceId: id, state: next, time: world.now });
    },
    async () => {
      const some = ids().filter(() => random() < 0.5);
      for (const id of some) world.claim(id);
      await Promise.all([survive(world.wake(some, session())), survive(world.wake(some.slice(1), session()))]);
    },
    async () => {
      const some = posted.filter(() => random() < 0.5).sort(() => random() - 0.5);
      for (const event of some) {
        await survive(handleLifeEvent(world.ports(session()), event));
        if (random() < 0.8) posted.splice(posted.indexOf(event), 1);
      }
    },
    () => survive(sweep(world.ports(session()))),
    async () => {
      const some = ids();
      await Promise.all([survive(sweep(world.ports(session()))), survive(world.wake(some, session()))]);
    },
    async () => {
      const subnet = pick(world.leases.leases)?.subnet.text;
      const ports = { ...world.ports(session()), network: 'default', routeTableIds: ['rtb-a', 'rtb-b', 'rtb-c'] };
      if (random() < 0.7) await survive(runCommand(ports, { command: 'release', subnet }));
    },
    async () => {
      world.ec2.outage = random() < 0.2 ? 'EC2 is away' : null;
    },
  ];
  for (let step = 0; step < 120; step += 1) {
    world.now += Math.floor(random() * (random() < 0.1 ? 20_000 : 60));
    await pick(happenings)?.();
  }
  return world;
}

/** Nothing more happens; events that did not come are lost. Nodes that run renew, the sweep goes on. */
async function settle(world: World): Promise<void> {
  world.ec2.outage = null;
  const rank = (state: InstanceState) => instanceStates.indexOf(state);
  for (const instance of world.ec2.instances.values()) {
    if (rank(instance.state) === rank('pending')) instance.state = 'running';
    if (rank(instance.state) === rank('stopping')) instance.state = 'stopped';
    if (rank(instance.state) === rank('shutting-down')) instance.state = 'terminated';
  }
  for (let round = 0; round < 3; round += 1) {
    world.now += 300;
    await sweep(world.ports());
    for (const [id, { state }] of world.ec2.instances) if (state === 'running') await world.join(id);
  }
}

function assertTakenFromNobody(world: World): void {
  const holderOf = new Map<string, unknown>();
  for (const { key, before, after } of world.leases.stream) {
    if (!key.startsWith('lease#')) continue;
    if (before !== undefined && isHeld(before['state'] as LeaseState)) {
      assert.equal(before['instanceId'], after['instanceId'], `${key} is taken from nobody`);
    }
    assert.ok(before === undefined || Number(after['version']) > Number(before['version']), 'versions grow');
    if (isHeld(after['state'] as LeaseState)) holderOf.set(key, after['instanceId']);
    else holderOf.delete(key);
    assert.equal(new Set(holderOf.values()).size, holderOf.size, 'no instance holds two');
  }
}

/** Nobody takes back the subnet that it held last once another was granted it, not even after the other. */
function assertNeverTakenBack(world: World): void {
  const last = new Map<unknown, unknown>();
  for (const { key, before, after } of world.leases.stream) {
    if (key.startsWith('holder#')) last.set(after['instanceId'], after['subnet']);
    else if (
      isHeld(after['state'] as LeaseState) &&
      before !== undefined &&
      before['instanceId'] !== after['instanceId']
    ) {
      assert.notEqual(
        last.get(after['instanceId']),
        after['subnet'],
        `${after['instanceId']} takes back ${after['subnet']}`,
      );
    }
  }
}

/** Whoever was told granted or lost was told the subnet that it held then; none is ever told another's. */
function assertToldTheTruth(world: World): void {
  const everHeld = new Set(
    world.leases.stream
      .filter(({ key, after }) => key.startsWith('lease#') && isHeld(after['state'] as LeaseState))
      .map(({ key, after }) => `${after['instanceArn']} ${key.slice('lease#'.length)}`),
  );
  for (const { arn, answer } of world.claims.history) {
    if ('subnet' in answer) assert.ok(everHeld.has(`${arn} ${answer.subnet.text}`), `${arn} ${answer.subnet.text}`);
  }
}

for (let block = 0; block < 4; block += 1) {
  test(`random lives end with one lease for each that runs and none for the dead (seeds ${block * 40} to ${block * 40 + 39})`, async () => {
    const told = new Set<string>();
    for (let seed = block * 40; seed < block * 40 + 40; seed += 1) {
      const world = await live(seed);
      await settle(world);
      assertTakenFromNobody(world);
      assertNeverTakenBack(world);
      assertToldTheTruth(world);
      for (const { answer } of world.claims.history) told.add(answer.status);
      for (const [id, { state }] of world.ec2.instances) {
        const held = world.leases.leases.filter((lease) => lease.instanceId === id && isHeld(lease.state));
        const where = `seed ${seed}: ${id} is ${state}`;
        const answers = world.claims.history.filter(({ arn }) => arn.endsWith(`/${id}`));
        if (state === 'terminated') assert.deepEqual(held, [], where);
        if (state === 'stopped')
          assert.ok(
            held.every((lease) => lease.state === 'withdrawn'),
            where,
          );
        if (state !== 'running') continue;
        const last = answers.at(-1)?.answer;
        if (last?.status === 'refused') assert.match(last.reason, /^out of subnets/, where);
        else
          assert.deepEqual(
            held.map((lease) => lease.state),
            ['active'],
            where,
          );
      }
      const before = structuredClone(world.leases.items);
      world.now += 300;
      await sweep(world.ports());
      assert.deepEqual(world.leases.items, before, `seed ${seed}: a quiet sweep writes nothing`);
    }
    assert.deepEqual([...told].sort(), ['granted', 'lost', 'pending', 'refused'], 'the seeds meet every answer');
  });
}
