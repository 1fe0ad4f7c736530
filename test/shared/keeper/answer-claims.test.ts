import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { leaseItem } from '../../../shared/domain/lease-item.ts';
import { vtepMacOf } from '../../../shared/domain/vtep-mac.ts';
import { answerClaims } from '../../../shared/keeper/answer-claims.ts';
import { handleLifeEvent } from '../../../shared/keeper/life-event.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { arnOf, netConf, served, startOfTime, subnetText, World } from '../../fakes/keeper/world.ts';

const day = 86_400;
const reasonOf = (world: World, id: string) => {
  const answer = world.answer(id);
  return `${answer.status}: ${answer.reason ?? ''}`;
};

test('a claim becomes a lease with place and address from EC2, times from the keeper and a derived MAC', async () => {
  const world = new World();
  world.ec2.run(1);
  const answer = await world.join('i-1');
  const { vtepMac, version, ...lease } = leaseItem(world.leases.leases[0] ?? assert.fail());
  assert.match(String(vtepMac), /^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/);
  assert.equal(version, startOfTime * 1000);
  assert.deepEqual(lease, {
    subnet: '10.244.1.0/24',
    ipv6Subnet: null,
    instanceId: 'i-1',
    instanceArn: arnOf('i-1'),
    claimId: 'claim-1',
    eniId: 'eni-1',
    nodeIp: '10.0.1.10',
    nodeIpv6: null,
    subnetId: 'subnet-1',
    segment: 'subnet-1',
    state: 'active',
    acquiredAt: startOfTime,
    expiresAt: startOfTime + day,
    advertise: { ipv4: null, ipv6: null },
    onLinkPrefix: 24,
    mtu: 9001,
    releasedAt: null,
  });
  assert.ok('subnet' in answer);
  assert.equal(
    `${answer.status} ${answer.subnet.text} ${answer.expiresAt}`,
    `granted 10.244.1.0/24 ${startOfTime + day}`,
  );
});

test('one batch asks EC2 once, reads the book once and commits once a grant', async () => {
  const world = new World();
  const ids = [1, 2, 3, 4, 5].map((number) => world.ec2.run(number));
  for (const id of ids) world.claim(id);
  const session = new Session();
  await world.wake([...ids, ...ids], session);
  const calls = (name: string) => session.log.filter((call) => call === name).length;
  assert.deepEqual(
    ['book.readAll', 'vpc.read', 'ec2.describe', 'ec2.describeInterfaces', 'book.commit', 'claims.writeAnswer'].map(
      calls,
    ),
    [1, 1, 1, 1, 5, 5],
  );
});

test('a claim that was answered is not looked at again, and touches neither book nor EC2', async () => {
  const world = new World();
  world.ec2.run(1);
  await world.join('i-1');
  const session = new Session();
  await world.wake(['i-1'], session);
  assert.deepEqual(session.log, ['claims.read']);
});

test('a claim that was taken back meanwhile is no failure', async () => {
  const world = new World();
  const report = await world.wake([world.ec2.run(1)]);
  assert.equal(report.firstFailed, null);
  assert.deepEqual(world.claims.history, []);
});

test("a renewal extends the lease by the keeper's clock and writes every field (G13)", async () => {
  const world = new World();
  world.ec2.run(1);
  await world.join('i-1');
  world.now += day / 4;
  await world.join('i-1', { mtu: 1500 });
  const [lease] = world.leases.leases;
  assert.equal(lease?.expiresAt, startOfTime + day / 4 + day);
  assert.equal(lease?.acquiredAt, startOfTime);
  assert.equal(lease?.mtu, 1500);
  assert.equal(lease?.claimId, 'claim-2');
});

test('a changed interface of the instance is picked up by a renewal', async () => {
  const world = new World();
  world.ec2.run(1);
  await world.join('i-1');
  world.ec2.instance('i-1').interfaces.push({
    ...world.ec2.eni('i-1'),
    eniId: 'eni-77',
    isPrimary: false,
    privateIp: '10.0.1.77',
    subnetId: 'subnet-7',
  });
  await world.join('i-1', { eniId: 'eni-77' });
  const [lease] = world.leases.leases;
  assert.equal(`${lease?.eniId} ${lease?.nodeIp} ${lease?.subnetId}`, 'eni-77 10.0.1.77 subnet-7');
});

test('G4 an expired lease that nobody took is given back to its instance', async () => {
  const world = new World();
  for (const number of [1, 2]) await world.join(world.ec2.run(number));
  const instance = world.ec2.instance('i-1');
  world.ec2.instances.delete('i-1');
  world.now += 2 * day;
  await world.join('i-2');
  await sweep(world.ports());
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 expired']);
  world.ec2.instances.set('i-1', instance);
  assert.equal((await world.join('i-1')).status, 'granted');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('G13 whoever takes over a released subnet inherits nothing of its former holder', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  const [old] = world.leases.leases;
  assert.ok(old);
  world.leases.put({ ...old, advertise: { ipv4: '203.0.113.1', ipv6: null } });
  await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'terminated', time: world.now });
  world.now += 60;
  await world.join(world.ec2.run(2), { subnet: old.subnet, onLinkPrefix: null, mtu: null });
  const item = leaseItem(world.leases.leases[0] ?? assert.fail());
  assert.equal(item['instanceId'], 'i-2');
  assert.equal(item['state'], 'active');
  assert.equal(item['releasedAt'], null);
  assert.equal('ttl' in item, false);
  assert.equal(item['nodeIp'], '10.0.2.10');
  assert.equal(item['segment'], null);
  assert.equal(item['mtu'], null);
});

test('Q5: a returning node whose subnet went to another is answered lost with a new one, then granted again', async () => {
  const world = new World({ ...netConf, Network: '10.244.0.0/22' });
  for (const number of [1, 2]) await world.join(world.ec2.run(number));
  const away = world.ec2.instance('i-1');
  world.ec2.instances.delete('i-1');
  world.now += 2 * day;
  await world.join('i-2');
  await sweep(world.ports());
  await world.join(world.ec2.run(3), { subnet: parseCidr('10.244.1.0/24', 'subnet') });
  world.ec2.instances.set('i-1', away);

  const answer = await world.join('i-1');
  assert.equal(answer.status, 'lost');
  assert.equal(answer.reason, '10.244.1.0/24 was granted to i-3 meanwhile');
  assert.equal(subnetText(answer), '10.244.3.0/24');
  assert.deepEqual(world.held('i-3'), ['10.244.1.0/24 active']);
  world.now += 30;
  assert.equal((await world.join('i-1')).status, 'lost', 'said again to a claim that was under way');
  world.now += day / 4;
  assert.equal((await world.join('i-1')).status, 'granted');
  assert.equal(subnetText(world.answer('i-1')), '10.244.3.0/24');
});

test('what EC2 does not know or does not show yet is pending with the reason, and fails no record', async () => {
  const world = new World();
  const report = await world.wake([world.claim('i-5') && 'i-5']);
  assert.equal(report.firstFailed, null);
  assert.equal(reasonOf(world, 'i-5'), 'pending: EC2 does not list i-5 yet');

  world.ec2.run(1, 'stopping');
  await world.join('i-1');
  assert.equal(reasonOf(world, 'i-1'), 'pending: i-1 is stopping');

  world.ec2.run(2);
  await world.join('i-2', { eniId: 'eni-99' });
  assert.equal(reasonOf(world, 'i-2'), 'pending: EC2 does not list eni-99 as attached to i-2');
  assert.deepEqual(world.leases.leases, []);
});

test('what can never be is refused with the reason', async () => {
  const world = new World();
  world.ec2.run(1, 'terminated');
  await world.join('i-1');
  assert.equal(reasonOf(world, 'i-1'), 'refused: i-1 is terminated: its id never holds a lease again');

  world.ec2.run(2);
  world.ec2.eni('i-2').vpcId = 'vpc-other';
  await world.join('i-2');
  assert.equal(reasonOf(world, 'i-2'), 'refused: eni-2 is in vpc-other, and the route tables are in vpc-1');

  world.ec2.run(3);
  await world.join('i-3', { network: 'other' });
  assert.equal(reasonOf(world, 'i-3'), 'refused: the network other is not served here; default is');
  assert.deepEqual(world.leases.leases, []);
});

test('the interface of another instance cannot be claimed', async () => {
  const world = new World();
  world.ec2.run(1);
  world.ec2.run(2);
  await world.join('i-1', { eniId: 'eni-2' });
  assert.equal(reasonOf(world, 'i-1'), 'pending: EC2 does not list eni-2 as attached to i-1');
});

test('a key that is no instance of this account, region and partition is rejected', async () => {
  const world = new World();
  for (const arn of [
    'arn:aws:ec2:eu-west-1:999999999999:instance/i-1',
    'arn:aws:ec2:us-east-1:123456789012:instance/i-1',
    'arn:aws-cn:ec2:eu-west-1:123456789012:instance/i-1',
    'arn:aws:ec2:eu-west-1:123456789012:instance/i-1/x',
    'i-1',
  ]) {
    world.claims.claims.set(arn, { claimId: 'c', network: 'default' });
    const report = await answerClaims(world.ports(), [{ instanceArn: arn, sequenceNumber: '1' }], served);
    assert.match(report.rejects[0]?.reason ?? '', /^the key .* is no instance of 123456789012 in eu-west-1/);
    assert.equal(report.firstFailed, null);
  }
  assert.deepEqual(world.leases.leases, []);
});

test('H2 a claim that cannot be read is refused, rejected and skipped; the others of the batch are granted', async () => {
  const world = new World();
  for (const number of [1, 2, 3]) world.claim(world.ec2.run(number));
  world.claims.claims.set(arnOf('i-2'), { claimId: 'bad', network: 'default', subnet: 'garbage' });
  const report = await world.wake(['i-1', 'i-2', 'i-3']);
  assert.equal(report.firstFailed, null);
  assert.deepEqual(report.answers, { granted: 2, pending: 0, refused: 1, lost: 0 });
  assert.equal(report.rejects.length, 1);
  assert.match(reasonOf(world, 'i-2'), /^refused: claim.subnet: is not a canonical CIDR block/);
});

test('B9 the check is switched off, and confirmed off, before the lease is written', async () => {
  const world = new World();
  world.ec2.run(1);
  world.ec2.lag = 1;
  await world.join('i-1');
  assert.equal(reasonOf(world, 'i-1'), 'pending: EC2 does not show the source/destination check of eni-1 as off yet');
  assert.deepEqual(world.leases.leases, []);
  await world.join('i-1');
  assert.equal(world.answer('i-1').status, 'granted');
  assert.deepEqual(world.ec2.modified, ['eni-1']);
});

test('B9 a check that may not be switched off is said to the node and in the report', async () => {
  const world = new World();
  world.claim(world.ec2.run(1));
  world.ec2.locked.add('eni-1');
  const report = await world.wake(['i-1']);
  const line = 'the source/destination check of eni-1 cannot be switched off: UnauthorizedOperation';
  assert.deepEqual(report.checkProblems, [line]);
  assert.equal(reasonOf(world, 'i-1'), `pending: ${line}`);
});

test('B7 checks that are off already are not touched: twenty ENIs, no modification', async () => {
  const world = new World();
  const ids = Array.from({ length: 20 }, (_, index) => world.ec2.run(index + 1));
  for (const id of ids) {
    world.ec2.eni(id).sourceDestCheck = false;
    world.claim(id);
  }
  await world.wake(ids);
  assert.equal(world.leases.leases.length, 20);
  assert.deepEqual(world.ec2.modified, []);
});

test('a renewal goes on while the check cannot be switched off, without a segment', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  world.ec2.eni('i-1').sourceDestCheck = true;
  world.ec2.locked.add('eni-1');
  world.now += day / 4;
  assert.equal((await world.join('i-1')).status, 'granted');
  assert.equal(world.leases.leases[0]?.segment, null);
});

test('an address without an on-link prefix has no segment', async () => {
  const world = new World();
  for (const [number, onLinkPrefix] of [
    [1, 32],
    [2, null],
  ] as const) {
    await world.join(world.ec2.run(number), { onLinkPrefix });
  }
  assert.deepEqual(
    world.leases.leases.map(({ segment }) => segment),
    [null, null],
  );
});

test('EC2 being away answers pending, fails no record, changes no lease, and passes', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  const before = structuredClone(world.leases.leases);
  world.ec2.outage = 'RequestLimitExceeded';
  world.claim('i-1');
  const report = await world.wake(['i-1']);
  assert.equal(report.ec2Problem, 'EC2 cannot be read: RequestLimitExceeded');
  assert.equal(report.firstFailed, null);
  assert.equal(reasonOf(world, 'i-1'), 'pending: EC2 cannot be read: RequestLimitExceeded');
  assert.deepEqual(world.leases.leases, before);
  world.ec2.outage = null;
  assert.equal((await world.join('i-1')).status, 'granted');
});

test('without a configuration, or with one that cannot be read, claims are pending', async () => {
  const world = new World(null);
  await world.join(world.ec2.run(1));
  assert.equal(reasonOf(world, 'i-1'), 'pending: no network configuration was applied yet');
  world.configure({ Network: 7 });
  await world.join('i-1');
  assert.match(reasonOf(world, 'i-1'), /^pending: the stored network configuration cannot be read: config\./);
});

test('a failing table fails the record, and those before it stay done', async () => {
  const world = new World();
  for (const number of [1, 2, 3]) world.claim(world.ec2.run(number));
  const session = new Session({ at: 10, when: 'before', kind: 'error' });
  const report = await world.wake(['i-1', 'i-2', 'i-3'], session);
  assert.notEqual(report.firstFailed, null);
  assert.equal(report.errors.length, 1);
  await world.wake(['i-1', 'i-2', 'i-3'].slice(Number(report.firstFailed) - 1));
  for (const id of ['i-1', 'i-2', 'i-3']) assert.equal(world.held(id).length, 1);
});

test('a foreign route takes its subnet out of the range', async () => {
  const world = new World();
  world.ec2.foreign = [parseCidr('10.244.1.0/24', 'subnet'), parseCidr('10.244.2.9/32', 'subnet')];
  assert.equal(subnetText(await world.join(world.ec2.run(1))), '10.244.3.0/24');
});

test('an item that cannot be read costs nobody a subnet and is not written over', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  const garbage = { subnet: 'garbage' };
  world.leases.items.set('lease#10.244.1.0/24', garbage);
  world.claim('i-1');
  await world.wake(['i-1']);
  assert.equal(reasonOf(world, 'i-1'), 'pending: the item of its lease 10.244.1.0/24 cannot be read');
  world.claim(world.ec2.run(2));
  await world.wake(['i-2']);
  assert.equal(subnetText(world.answer('i-2')), '10.244.2.0/24');
  assert.deepEqual(world.leases.items.get('lease#10.244.1.0/24'), garbage);
});

test('the version goes on above the clock after a tombstone was removed', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  const version = world.leases.leases[0]?.version ?? 0;
  world.leases.items.clear();
  world.configure(netConf);
  world.now += 31 * day;
  await world.join(world.ec2.run(2));
  assert.ok((world.leases.leases[0]?.version ?? 0) > version);
});

test('a claim that was written just before its instance stopped is pending while the stop is the newer word', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  world.now += 1000;
  await handleLifeEvent(world.ports(), { instanceId: 'i-1', state: 'stopped', time: world.now - 5 });
  await world.join('i-1'); // EC2's reading says running still
  assert.equal(reasonOf(world, 'i-1'), 'pending: i-1 is stopped');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 withdrawn']);
  world.now += 100;
  assert.equal((await world.join('i-1')).status, 'granted', 'a start whose event was lost');
  assert.deepEqual(world.held('i-1'), ['10.244.1.0/24 active']);
});

test('an interface that EC2 lists with the instance but as detaching is not attached', async () => {
  const world = new World();
  world.ec2.run(1);
  world.ec2.eni('i-1').instanceId = null;
  await world.join('i-1');
  assert.equal(reasonOf(world, 'i-1'), 'pending: EC2 does not list the primary interface of i-1 as attached to i-1');
});

test('a tunnel MAC that another holder has is refused', async () => {
  const world = new World();
  await world.join(world.ec2.run(1));
  const [lease] = world.leases.leases;
  assert.ok(lease);
  const vtepMac = vtepMacOf('default', arnOf('i-2'));
  world.leases.put({ ...lease, vtepMac });
  await world.join(world.ec2.run(2));
  assert.equal(reasonOf(world, 'i-2'), `refused: the MAC of its tunnel end point, ${vtepMac}, is that of i-1`);
  assert.deepEqual(world.held('i-2'), []);
});

test('a node that hands its lease back needs nothing of EC2, and gets the same subnet when it returns', async () => {
  const world = new World();
  world.ec2.run(1);
  await world.join('i-1');
  const subnet = subnetText(world.answer('i-1'));
  world.claim('i-1', { release: true });
  const session = new Session();
  await world.wake(['i-1', 'i-1'], session);
  assert.match(reasonOf(world, 'i-1'), /^refused: .* was released at the node's own request$/);
  assert.deepEqual(
    world.leases.leases.map(({ state }) => state),
    ['released'],
  );
  assert.equal(
    session.log.some((call) => call.startsWith('ec2.')),
    false,
  );
  await world.join('i-1');
  assert.equal(subnetText(world.answer('i-1')), subnet);
  assert.equal(world.answer('i-1').status, 'granted');
});

test('a node without a lease that hands one back is told so, and changes nothing', async () => {
  const world = new World();
  world.ec2.run(1);
  world.claim('i-1', { release: true });
  await world.wake(['i-1'], new Session());
  assert.match(reasonOf(world, 'i-1'), /^refused: i-1 holds no lease$/);
  assert.deepEqual(world.leases.leases, []);
});
