/** The lease commands that the CLI sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { CommandPorts } from '../../../shared/keeper/command-ports.ts';
import { handleLifeEvent } from '../../../shared/keeper/life-event.ts';
import { runCommand } from '../../../shared/keeper/run-command.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { netConf, World } from '../../fakes/keeper/world.ts';

async function clusterOf(nodes: number, config: object | null = netConf): Promise<World> {
  const world = new World(config);
  for (let number = 1; number <= nodes; number += 1) {
    world.ec2.run(number);
    await world.join(`i-${number}`);
  }
  world.now += 1000;
  return world;
}

function portsOf(world: World, session = new Session()): CommandPorts {
  return { ...world.ports(session), network: 'default', routeTableIds: ['rtb-a', 'rtb-b', 'rtb-c', 'rtb-d'] };
}

// biome-ignore lint/suspicious/noExplicitAny: the answers are read as JSON, as the CLI does.
async function run(world: World, command: object): Promise<any> {
  return JSON.parse(JSON.stringify(await runCommand(portsOf(world), command)));
}

test('a command that cannot be read is answered with the field, and nothing is changed', async () => {
  const world = await clusterOf(1);
  const before = structuredClone(world.leases.items);
  for (const [command, field] of [
    [null, 'command'],
    [{}, 'command'],
    [{ command: 'toString' }, 'command'],
    [{ command: 'list', all: true }, 'all'],
    [{ command: 'list', states: ['live'] }, 'states.0'],
    [{ command: 'show' }, 'subnet'],
    [{ command: 'show', subnet: '10.244.1.0/24', instanceId: 'i-1' }, 'subnet'],
    [{ command: 'release', subnet: '10.244.1.5/24' }, 'subnet'],
    [{ command: 'release', instanceId: 'eni-1' }, 'instanceId'],
    [{ command: 'reserve', subnet: '10.244.9.0/24' }, 'eniId'],
    [{ command: 'advertise', subnet: '10.244.1.0/24' }, 'address'],
    [{ command: 'advertise', subnet: '10.244.1.0/24', address: '010.0.0.1' }, 'address'],
    [{ command: 'network-apply', config: netConf, dryrun: true }, 'dryrun'],
    [{ command: 'network-apply', config: { ...netConf, Backnd: 1 } }, 'config.Backnd'],
    [{ command: 'network-apply', config: '{"Network": "10.244.0.0/16",}' }, 'config'],
    [{ command: 'network-retire' }, 'network'],
    [{ command: 'network-retire', network: '10.9.0.0/16' }, 'subnetLen'],
  ] as const) {
    const answer = await run(world, command as object);
    assert.equal(answer.ok, false, JSON.stringify(command));
    assert.equal(answer.error.field, field, answer.error.message);
    assert.ok(answer.error.message.length > 10);
  }
  assert.deepEqual(world.leases.items, before);
});

test('list and show give leases as text, with what EC2 said last', async () => {
  const world = await clusterOf(2);
  await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'terminated', time: world.now });
  const list = await run(world, { command: 'list' });
  assert.equal(list.ok, true);
  assert.deepEqual(
    list.leases.map((lease: { subnet: string; state: string; held: boolean }) => [
      lease.subnet,
      lease.state,
      lease.held,
    ]),
    [
      ['10.244.1.0/24', 'released', false],
      ['10.244.2.0/24', 'active', true],
    ],
  );
  assert.equal(list.counts.active, 1);
  assert.equal((await run(world, { command: 'list', states: ['active'] })).leases.length, 1);
  const show = await run(world, { command: 'show', instanceId: 'i-1' });
  assert.deepEqual(show.leases[0].instance, { state: 'terminated', since: world.now, missingSince: null });
  assert.equal((await run(world, { command: 'show', subnet: '10.244.77.0/24' })).error.field, 'subnet');
});

test('release frees a live lease at once; its instance may claim again', async () => {
  const world = await clusterOf(1);
  const answer = await run(world, { command: 'release', instanceId: 'i-1' });
  assert.equal(answer.lease.state, 'released');
  assert.equal((await run(world, { command: 'release', instanceId: 'i-1' })).error.field, 'instanceId');
  world.now += 10;
  await sweep(world.ports());
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released'], 'a sweep does not bring it back');
  assert.equal((await world.join('i-1')).status, 'granted');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('reserve holds a subnet by an ENI, without instance and without expiry, and nobody else gets it', async () => {
  const world = await clusterOf(1);
  world.ec2.run(9);
  const answer = await run(world, { command: 'reserve', subnet: '10.244.2.0/24', eniId: 'eni-9' });
  assert.equal(`${answer.lease.state} ${answer.lease.nodeIp} ${answer.lease.expiresAt}`, 'reserved 10.0.0.13 null');
  assert.equal(world.ec2.eni('i-9').sourceDestCheck, false);
  const again = await run(world, { command: 'reserve', subnet: '10.244.2.0/24', eniId: 'eni-9' });
  assert.equal(again.ok, true);
  assert.equal(again.lease.version, answer.lease.version);
  await world.join(world.ec2.run(2));
  assert.deepEqual(world.held('i-2'), ['10.244.3.0/24 active']);
  world.now += 365 * 86_400;
  await sweep(world.ports());
  assert.equal(world.leases.lease('10.244.2.0/24')?.state, 'reserved');
});

test('reserve is refused for what is held, out of range, protected, in conflict, or an ENI elsewhere', async () => {
  const world = await clusterOf(1);
  world.ec2.run(9);
  world.ec2.foreign = [parseCidr('10.244.4.1/32', 'x')];
  const refused = async (subnet: string, eniId = 'eni-9') => {
    const { error } = await run(world, { command: 'reserve', subnet, eniId });
    return `${error?.field}: ${error?.message}`;
  };
  assert.match(await refused('10.244.1.0/24'), /^subnet: .*is held by i-1/);
  assert.match(await refused('10.9.1.0/24'), /^subnet: .*is not in the network/);
  assert.match(await refused('10.244.4.0/24'), /^subnet: .*foreign route 10.244.4.1\/32/);
  assert.match(await refused('10.244.5.0/24', 'eni-77'), /^eniId: .*not known to EC2/);
  world.ec2.eni('i-9').vpcId = 'vpc-2';
  assert.match(await refused('10.244.5.0/24'), /^eniId: .*is in vpc-2/);
  world.ec2.outage = 'EC2 is away';
  assert.match(await refused('10.244.5.0/24'), /EC2 cannot be read: EC2 is away/);
});

test("G14 the operator's address survives renewals, restarts, sweeps and a change of subnet, and need not be local", async () => {
  const world = await clusterOf(1);
  const answer = await run(world, { command: 'advertise', instanceId: 'i-1', address: '203.0.113.9' });
  assert.equal(answer.lease.nodeIp, '203.0.113.9');
  const nodeIps = () => world.leases.leases.map(({ nodeIp, segment }) => `${nodeIp} ${segment}`);
  for (let restart = 0; restart < 2; restart += 1) {
    world.now += 3600;
    await world.join('i-1');
    await sweep(world.ports());
    assert.deepEqual(nodeIps(), ['203.0.113.9 null']);
  }
  await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'stopped', time: world.now });
  await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'running', time: world.now + 1 });
  assert.deepEqual(nodeIps(), ['203.0.113.9 null']);
  await run(world, { command: 'release', instanceId: 'i-1' });
  world.ec2.run(2);
  await world.join('i-2', { subnet: parseCidr('10.244.1.0/24', 'x') });
  await world.join('i-1');
  assert.deepEqual(nodeIps(), ['10.0.2.10 subnet-2', '203.0.113.9 null']);
  const back = await run(world, { command: 'advertise', instanceId: 'i-1', address: null });
  assert.equal(`${back.lease.nodeIp} ${back.lease.segment}`, '10.0.1.10 subnet-1');
});

test('network-apply stores the first configuration and shows it', async () => {
  const world = await clusterOf(0, null);
  assert.equal((await run(world, { command: 'network-show' })).stored, null);
  const text = JSON.stringify(netConf);
  const dry = await run(world, { command: 'network-apply', config: text, dryRun: true });
  assert.deepEqual([dry.applied, dry.changed, dry.previous, dry.stored.revision], [false, true, null, 1]);
  assert.equal(world.leases.items.size, 0);
  const answer = await run(world, { command: 'network-apply', config: text });
  assert.deepEqual([answer.applied, answer.stored.revision, answer.stored.config], [true, 1, netConf]);
  const show = await run(world, { command: 'network-show' });
  assert.deepEqual([show.stored.revision, show.subnets, show.problem], [1, { room: 255, held: 0 }, null]);
  const again = await run(world, { command: 'network-apply', config: netConf });
  assert.deepEqual([again.applied, again.changed, again.stored.revision], [false, false, 1]);
});

test('network-apply keeps to the tables of the template and out of the VPC', async () => {
  const world = await clusterOf(0);
  const beyond = { ...netConf, Backend: { Type: 'aws-vpc', RouteTableID: ['rtb-a', 'rtb-z'] } };
  assert.match((await run(world, { command: 'network-apply', config: beyond })).error.message, /rtb-z/);
  world.ec2.vpcCidrs = [parseCidr('10.244.128.0/20', 'x')];
  const overlap = await run(world, { command: 'network-apply', config: { ...netConf, Leaseway: { RouteLimit: 50 } } });
  assert.equal(overlap.error.field, 'config.Network');
});

test('network-apply is refused when the stored revision is not the expected one', async () => {
  const world = await clusterOf(0);
  const config = { ...netConf, Leaseway: { Mode: 'observe' } };
  const answer = await run(world, { command: 'network-apply', config, expectedRevision: 7 });
  assert.equal(answer.error.field, 'expectedRevision');
  assert.equal((await run(world, { command: 'network-apply', config, expectedRevision: 1 })).stored.revision, 2);
});

test('a change that leaves held leases without a place is refused, unless the range is retired or force says so', async () => {
  const world = await clusterOf(2);
  const moved = { ...netConf, Network: '10.9.0.0/16' };
  const refused = await run(world, { command: 'network-apply', config: moved });
  assert.match(refused.error.message, /no place for 2 held leases \(10.244.1.0\/24, 10.244.2.0\/24\): .*--force$/);
  const protecting = { ...netConf, Leaseway: { Protected: ['10.244.2.0/24'] } };
  assert.match((await run(world, { command: 'network-apply', config: protecting })).error.message, /1 held lease/);
  const forced = await run(world, { command: 'network-apply', config: moved, force: true });
  assert.deepEqual(forced.moved, ['10.244.1.0/24', '10.244.2.0/24']);
  assert.match(forced.warnings.join(), /routes of 10.244.0.0\/16 stay/);
});

test('P5: a network that is divided anew says which routes stay, unless they are given up', async () => {
  const world = await clusterOf(2);
  const anew = { ...netConf, SubnetLen: 21 };
  assert.match((await run(world, { command: 'network-apply', config: anew })).error.message, /no place for 2 held/);
  const request = { command: 'network-apply', config: anew, force: true, dryRun: true };
  assert.match((await run(world, request)).warnings.join(), /^\/24 routes of 10\.244\.0\.0\/16 stay as they are/);
  const retiring = { ...anew, Leaseway: { Retired: [{ Network: '10.244.0.0/16', SubnetLen: 24 }] } };
  const { moved, warnings, applied } = await run(world, { command: 'network-apply', config: retiring });
  assert.deepEqual([moved, warnings, applied], [[], [], true]);
  await world.join('i-1');
  const one = world.held('i-1').find((text) => text.endsWith(' active'));
  assert.match(one ?? '', /\/21 active$/);
  assert.notEqual(one, '10.244.0.0/21 active', 'i-2 holds a part of it still');
});

test('after a change of network with the old range retired, each node is answered lost with a subnet of the new one', async () => {
  const world = await clusterOf(2);
  const config = {
    ...netConf,
    Network: '10.9.0.0/16',
    Leaseway: { Retired: [{ Network: '10.244.0.0/16', SubnetLen: 24 }] },
  };
  const answer = await run(world, { command: 'network-apply', config });
  assert.deepEqual([answer.applied, answer.warnings], [true, []]);
  assert.equal((await world.join('i-1')).status, 'lost');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released', '10.9.1.0/24 active']);
  assert.deepEqual(world.held('i-2'), ['10.244.2.0/24 active']);
});

test('network-retire lists what is given up, takes tables out of the backend, and takes the entry out again', async () => {
  const world = await clusterOf(1);
  const table = await run(world, { command: 'network-retire', routeTableIds: ['rtb-c'] });
  assert.deepEqual(table.stored.config.Backend.RouteTableID, ['rtb-a', 'rtb-b']);
  assert.deepEqual(table.stored.config.Leaseway.Retired, [{ RouteTableID: ['rtb-c'] }]);
  assert.deepEqual(table.warnings, []);
  const range = { command: 'network-retire', network: '10.9.0.0/16', subnetLen: 24 };
  assert.equal((await run(world, range)).stored.config.Leaseway.Retired.length, 2);
  const back = await run(world, { ...range, remove: true });
  assert.deepEqual(back.stored.config.Leaseway.Retired, [{ RouteTableID: ['rtb-c'] }]);
  assert.equal((await run(world, { ...range, remove: true })).ok, false);
});

test('IPv6 that is switched on comes with the next renewal; switched off it needs its range retired', async () => {
  const world = await clusterOf(1);
  const dual = { ...netConf, EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };
  assert.equal((await run(world, { command: 'network-apply', config: dual })).applied, true);
  const answer = await world.join('i-1');
  assert.equal('subnet' in answer ? answer.ipv6Subnet?.text : null, 'fd00:244:0:1::/64');
  assert.equal(world.leases.leases[0]?.ipv6Subnet?.text, 'fd00:244:0:1::/64');
  assert.match((await run(world, { command: 'network-apply', config: netConf })).error.message, /1 held lease/);
  const Retired = [{ Network: 'fd00:244::/48', SubnetLen: 64 }];
  const off = await run(world, { command: 'network-apply', config: { ...netConf, Leaseway: { Retired } } });
  assert.equal(off.applied, true, JSON.stringify(off));
  await world.join('i-1');
  assert.equal(world.leases.leases[0]?.ipv6Subnet, null);
});

test('no grant slips in between the check of a change and its write', async () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const world = await clusterOf(1);
    await run(world, { command: 'release', instanceId: 'i-1' });
    world.claim(world.ec2.run(2));
    const moved = { command: 'network-apply', config: { ...netConf, Network: '10.9.0.0/16' } };
    const [, answer] = await Promise.all([
      world.wake(['i-2'], new Session(null, seed)),
      afterTurns(seed, () => runCommand(portsOf(world, new Session(null, seed + 500)), moved)),
    ]);
    const held = world.held('i-2').join();
    assert.match(held, answer.ok ? /^(10\.9\.1\.0\/24 active)?$/ : /^10\.244\.2\.0\/24 active$/, `seed ${seed}`);
  }
});

test('a failing table is thrown, not answered', async () => {
  const world = await clusterOf(1);
  const session = new Session({ at: 0, when: 'before', kind: 'error' });
  await assert.rejects(runCommand(portsOf(world, session), { command: 'list' }));
});

/** Starts the work a number of turns later, so that it meets the other at every point of its way. */
async function afterTurns<Result>(turns: number, work: () => Promise<Result>): Promise<Result> {
  for (let left = turns; left > 0; left -= 1) await Promise.resolve();
  return work();
}
