import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handleLifeEvent } from '../../../shared/keeper/life-event.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { arnOf, netConf, World } from '../../fakes/keeper/world.ts';

const hour = 3600;
const day = 86_400;

async function clusterOf(nodes: number, config: object = netConf): Promise<World> {
  const world = new World(config);
  for (let number = 1; number <= nodes; number += 1) {
    world.ec2.run(number);
    await world.join(`i-${number}`);
  }
  world.now += 1000;
  return world;
}

test('a sweep with nothing new writes nothing and reads EC2 twice, by filter', async () => {
  const world = await clusterOf(3);
  const before = structuredClone(world.leases.items);
  const session = new Session();
  const report = await sweep(world.ports(session));
  assert.deepEqual(session.log, ['book.readAll', 'ec2.describe', 'ec2.describeInterfaces']);
  assert.deepEqual(world.leases.items, before);
  assert.equal(report.problem, null);
  assert.equal(report.leases.active, 3);
  assert.deepEqual(report.changed, []);
});

test('what events did not say: stopped, shutting down, terminated, running again', async () => {
  const world = await clusterOf(4);
  world.ec2.instance('i-1').state = 'stopped';
  world.ec2.instance('i-2').state = 'shutting-down';
  world.ec2.instance('i-3').state = 'terminated';
  await sweep(world.ports());
  assert.deepEqual(
    world.leases.leases.map(({ state }) => state),
    ['withdrawn', 'leaving', 'released', 'active'],
  );
  world.ec2.instance('i-1').state = 'running';
  world.now += 300;
  await sweep(world.ports());
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('F7 A10 an instance that EC2 lists as terminated frees its lease before the lease ends', async () => {
  const world = await clusterOf(1);
  world.ec2.instance('i-1').state = 'terminated';
  const report = await sweep(world.ports());
  assert.deepEqual(report.changed, [{ subnet: '10.244.1.0/24', state: 'released' }]);
});

test('an event of the last minute counts more than a reading, which may lag', async () => {
  const world = await clusterOf(1);
  await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'stopped', time: world.now - 30 });
  await sweep(world.ports()); // the reading says running still
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 withdrawn']);
});

test('an instance absent from a complete reading is unknown; absent twice an hour apart it is gone', async () => {
  const world = await clusterOf(2);
  world.ec2.instances.delete('i-1');
  for (let minutes = 0; minutes < 60; minutes += 5) {
    const report = await sweep(world.ports());
    assert.deepEqual(report.missing, ['i-1']);
    assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active'], `after ${minutes} minutes`);
    world.now += 300;
  }
  await sweep(world.ports());
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 released']);
  assert.deepEqual(world.held('i-2'), ['10.244.2.0/24 active']);
});

test('an absence that was interrupted begins anew', async () => {
  const world = await clusterOf(2);
  const gone = world.ec2.instance('i-1');
  for (let hours = 0; hours < 5; hours += 1) {
    world.ec2.instances.delete('i-1');
    await sweep(world.ports());
    world.now += hour - 300;
    world.ec2.instances.set('i-1', gone);
    await sweep(world.ports());
    world.now += 300;
  }
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('a failed reading, of instances or of interfaces, changes nothing and is reported, not thrown', async () => {
  for (const at of [1, 2]) {
    const world = await clusterOf(3);
    world.ec2.instance('i-1').state = 'terminated';
    world.now += 2 * day;
    const before = structuredClone(world.leases.items);
    const report = await sweep(world.ports(new Session({ at, when: 'after', kind: 'error' })));
    assert.match(report.problem ?? '', /^EC2 cannot be read/);
    assert.deepEqual(world.leases.items, before);
  }
});

test('an empty answer of EC2 changes no lease, not even one past its expiry', async () => {
  const world = await clusterOf(3);
  world.now += 2 * day;
  world.ec2.instances.clear();
  const before = structuredClone(world.leases.leases);
  await sweep(world.ports());
  assert.deepEqual(world.leases.leases, before);
});

test('a book that cannot be read is thrown: nothing is known then', async () => {
  const world = await clusterOf(1);
  await assert.rejects(sweep(world.ports(new Session({ at: 0, when: 'before', kind: 'error' }))));
});

test('G12 a lease that looks expired by less than the allowance for clocks is not', async () => {
  const world = await clusterOf(1);
  const end = world.leases.leases[0]?.expiresAt ?? 0;
  world.ec2.run(2);
  await world.join('i-2'); // so that EC2's answer is not empty
  world.ec2.instances.delete('i-1');
  for (const [after, state] of [
    [-20, 'active'],
    [30, 'active'],
    [60, 'active'],
    [61, 'expired'],
  ] as const) {
    world.now = end + after;
    await sweep(world.ports());
    assert.deepEqual(world.held('i-1'), [`10.244.1.0/24 ${state}`], `${after} s after its expiry`);
  }
});

test('past its expiry the lease of a running instance is stale and its subnet is not given away; renewal ends that', async () => {
  const world = await clusterOf(1);
  world.now += 2 * day;
  const report = await sweep(world.ports());
  assert.equal(report.leases.stale, 1);
  world.ec2.run(2);
  await world.join('i-2');
  assert.deepEqual(world.held('i-2'), ['10.244.2.0/24 active']);
  await world.join('i-1');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
  assert.equal((await sweep(world.ports())).leases.stale, 0);
});

test('withdrawn leases and reservations do not expire', async () => {
  const world = await clusterOf(2);
  world.ec2.instance('i-1').state = 'stopped';
  await sweep(world.ports());
  world.now += 365 * day;
  await sweep(world.ports());
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 withdrawn']);
});

test('B7 checks that are off are not touched: twenty ENIs, no modification', async () => {
  const world = await clusterOf(20);
  const before = world.ec2.modified.length;
  await sweep(world.ports());
  assert.equal(world.ec2.modified.length, before);
});

test('B9 a check that somebody switched on is switched off again; one that may not be is said and costs the segment', async () => {
  const world = await clusterOf(2);
  world.ec2.eni('i-1').sourceDestCheck = true;
  world.ec2.eni('i-2').sourceDestCheck = true;
  world.ec2.locked.add('eni-2');
  const report = await sweep(world.ports());
  assert.equal(world.ec2.eni('i-1').sourceDestCheck, false);
  assert.equal(world.leases.lease('10.244.1.0/24')?.segment, 'subnet-1');
  assert.deepEqual(report.checkProblems, [
    'the source/destination check of eni-2 cannot be switched off: UnauthorizedOperation',
  ]);
  assert.equal(world.leases.lease('10.244.2.0/24')?.segment, null);
  world.ec2.locked.clear();
  await sweep(world.ports());
  assert.equal(world.leases.lease('10.244.2.0/24')?.segment, 'subnet-2');
});

test('plain vxlan leaves the check alone', async () => {
  const world = await clusterOf(1, { Network: '10.244.0.0/16', Backend: { Type: 'vxlan' } });
  await sweep(world.ports());
  assert.deepEqual(world.ec2.modified, []);
  assert.equal(world.leases.leases[0]?.segment, null);
});

test('a changed address of the ENI is picked up', async () => {
  const world = await clusterOf(1);
  world.ec2.eni('i-1').privateIp = '10.0.1.99';
  await sweep(world.ports());
  const [lease] = world.leases.leases;
  assert.equal(`${lease?.nodeIp} ${lease?.segment}`, '10.0.1.99 subnet-1');
});

test('G2 two leases of one instance, of one range or of one MAC are reported, and stay what they are', async () => {
  const world = await clusterOf(2);
  const [first, second] = world.leases.leases;
  assert.ok(first && second);
  world.leases.put({ ...second, instanceId: 'i-1', instanceArn: arnOf('i-1') });
  const wide = { ...first, subnet: { ...first.subnet, length: 16, text: '10.244.0.0/16', base: 183_762_944n } };
  world.leases.put({ ...wide, instanceId: 'i-3', instanceArn: arnOf('i-3'), eniId: 'eni-3' });
  const before = structuredClone(world.leases.leases);
  const { duplicates } = await sweep(world.ports());
  assert.deepEqual(duplicates, [
    '10.244.1.0/24 of i-3 and i-1 overlaps 10.244.0.0/16',
    '10.244.2.0/24 of i-3 and i-1 overlaps 10.244.0.0/16',
    'instance i-1 has 10.244.1.0/24 and 10.244.2.0/24',
    `tunnel MAC ${first.vtepMac} has 10.244.1.0/24 and 10.244.0.0/16`,
  ]);
  const after = world.leases.leases.map(({ subnet, instanceId, state }) => `${subnet.text} ${instanceId} ${state}`);
  assert.deepEqual(
    after,
    before.map(({ subnet, instanceId, state }) => `${subnet.text} ${instanceId} ${state}`),
  );
});

test('a holder item that is missing, as in a half restored table, is written anew', async () => {
  const world = await clusterOf(1);
  const holder = world.leases.holder('i-1');
  world.leases.items.delete('holder#i-1');
  await sweep(world.ports());
  assert.equal(world.leases.holder('i-1')?.subnet.text, holder?.subnet.text);
  assert.equal(
    await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'terminated', time: world.now }),
    'released',
  );
});

test('items that do not validate are reported and hold up nobody else', async () => {
  const world = await clusterOf(2);
  world.leases.items.set('lease#10.244.1.0/24', { subnet: 'garbage' });
  world.ec2.instance('i-2').state = 'terminated';
  const report = await sweep(world.ports());
  assert.match(report.unreadable.join(), /^lease#10.244.1.0\/24: lease\./);
  assert.equal(world.leases.lease('10.244.2.0/24')?.state, 'released');
});

test('a sweep that dies between any two calls is finished by the next', async () => {
  const start = async () => {
    const world = await clusterOf(4);
    world.ec2.instance('i-1').state = 'stopped';
    world.ec2.instance('i-2').state = 'terminated';
    world.ec2.eni('i-3').sourceDestCheck = true;
    return world;
  };
  const probe = new Session();
  const expected = await start();
  await sweep(expected.ports(probe));
  for (let at = 0; at < probe.calls; at += 1) {
    for (const kind of ['kill', 'error'] as const) {
      const world = await start();
      await sweep(world.ports(new Session({ at, when: at % 2 === 0 ? 'before' : 'after', kind }))).catch(() => {});
      await sweep(world.ports());
      const states = (some: World) => some.leases.leases.map(({ state, segment }) => `${state} ${segment}`);
      assert.deepEqual(states(world), states(expected), `${kind} at ${probe.log[at]}`);
    }
  }
});

test('Q3: an interface that serves another instance now, or none, is named: its containers get no packet', async () => {
  const world = await clusterOf(5);
  const eni = (number: number) => world.ec2.eni(`i-${number}`);
  eni(1).instanceId = 'i-9';
  eni(2).instanceId = null;
  eni(3).instanceId = null;
  world.ec2.instance('i-3').state = 'shutting-down';
  const before = structuredClone(world.leases.leases.filter(({ instanceId }) => instanceId !== 'i-3'));
  const report = await sweep(world.ports());
  assert.deepEqual(report.checkProblems, [
    'eni-1 is attached to i-9 instead of i-1: packets to 10.244.1.0/24 do not reach its containers',
    'eni-2 is attached to nothing instead of i-2: packets to 10.244.2.0/24 do not reach its containers',
  ]);
  assert.deepEqual(
    world.leases.leases.filter(({ instanceId }) => instanceId !== 'i-3'),
    before,
  );
});
