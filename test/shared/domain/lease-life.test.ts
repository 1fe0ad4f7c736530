import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { instanceIdOf, placeOf } from '../../../shared/domain/instance-arn.ts';
import {
  furtherFact,
  type InstanceState,
  instanceStates,
  type LifeState,
  laterFact,
} from '../../../shared/domain/instance-life.ts';
import type { LeaseState } from '../../../shared/domain/lease.ts';
import { aged, freed, lived } from '../../../shared/domain/lease-life.ts';
import { type LeaseRecord, notAdvertised } from '../../../shared/domain/lease-record.ts';
import { nextVersion } from '../../../shared/domain/version.ts';

const now = 1_790_000_000;
const base: LeaseRecord = {
  subnet: parseCidr('10.244.7.0/24', 'subnet'),
  ipv6Subnet: null,
  instanceId: 'i-1',
  instanceArn: 'arn',
  claimId: 'c',
  eniId: 'eni-1',
  nodeIp: '10.0.1.10',
  nodeIpv6: null,
  subnetId: 'subnet-1',
  segment: 'subnet-1',
  vtepMac: '0a:00:00:00:00:01',
  state: 'active',
  acquiredAt: now - 1000,
  expiresAt: now + 1000,
  version: 1,
  advertise: notAdvertised,
  onLinkPrefix: 24,
  mtu: 9001,
  releasedAt: null,
  ttl: null,
};
const lease = (state: LeaseState, fields: Partial<LeaseRecord> = {}): LeaseRecord => ({ ...base, state, ...fields });
const withdraw = { whenStopped: 'withdraw', leaseSeconds: 86_400 } as const;

test('what each state of its instance makes of a lease', () => {
  const table: [LeaseState, LifeState, LeaseState][] = [
    ['active', 'pending', 'active'],
    ['active', 'running', 'active'],
    ['active', 'stopping', 'leaving'],
    ['active', 'shutting-down', 'leaving'],
    ['active', 'stopped', 'withdrawn'],
    ['active', 'terminated', 'released'],
    ['active', 'gone', 'released'],
    ['leaving', 'stopped', 'withdrawn'],
    ['leaving', 'running', 'active'],
    ['leaving', 'pending', 'leaving'],
    ['withdrawn', 'pending', 'withdrawn'],
    ['withdrawn', 'running', 'active'],
    ['withdrawn', 'stopping', 'withdrawn'],
    ['withdrawn', 'terminated', 'released'],
    ['stale', 'running', 'stale'],
    ['stale', 'stopping', 'leaving'],
    ['stale', 'terminated', 'released'],
  ];
  for (const [before, state, after] of table) {
    assert.equal(lived(lease(before), state, withdraw, now).state, after, `${before} and ${state}`);
  }
});

test('no life touches a lease that nobody holds, or a reservation', () => {
  for (const state of ['released', 'expired', 'reserved'] as const) {
    for (const life of instanceStates) {
      const before = lease(state);
      assert.equal(lived(before, life, withdraw, now), before);
    }
  }
});

test('a withdrawn lease has no end, and a restored one begins a new term', () => {
  const withdrawn = lived(lease('active'), 'stopped', withdraw, now);
  assert.equal(withdrawn.expiresAt, null);
  assert.equal(lived(withdrawn, 'running', withdraw, now + 200_000).expiresAt, now + 200_000 + 86_400);
});

test('a tombstone says when it began, and its time to live in epoch seconds is long after', () => {
  const tombstone = freed(lease('active'), 'released', now);
  assert.equal(tombstone.releasedAt, now);
  assert.equal(tombstone.ttl, now + 30 * 86_400);
});

test('expiry: stale while the instance runs, expired when EC2 knows nothing, nothing while it can tell', () => {
  const past = { expiresAt: now - 61 };
  const table: [LeaseState, LifeState | null, Partial<LeaseRecord>, LeaseState][] = [
    ['active', 'running', past, 'stale'],
    ['active', 'pending', past, 'stale'],
    ['active', null, past, 'expired'],
    ['stale', null, past, 'expired'],
    ['leaving', null, past, 'expired'],
    ['leaving', 'stopping', past, 'leaving'],
    ['stale', 'running', {}, 'active'],
    ['active', 'running', { expiresAt: now - 60 }, 'active'],
    ['active', null, {}, 'active'],
    ['withdrawn', null, { expiresAt: null }, 'withdrawn'],
    ['reserved', null, { expiresAt: null }, 'reserved'],
  ];
  for (const [before, state, fields, after] of table) {
    assert.equal(aged(lease(before, fields), state, now).state, after, `${before} and ${state}`);
  }
});

test('of two facts the newer counts, the end of a life always, and one second has to be asked about', () => {
  const fact = (state: LifeState, time: number) => ({ state, time });
  const later = (known: [LifeState, number], heard: [LifeState, number]) => {
    const result = laterFact(fact(...known), fact(...heard));
    return result === 'ask-ec2' ? result : `${result.state} ${result.time}`;
  };
  assert.deepEqual(laterFact(null, fact('running', 5)), fact('running', 5));
  assert.equal(later(['running', 5], ['stopped', 6]), 'stopped 6');
  assert.equal(later(['running', 5], ['stopped', 4]), 'running 5');
  assert.equal(later(['running', 5], ['stopped', 5]), 'ask-ec2');
  assert.equal(later(['running', 5], ['running', 5]), 'running 5');
  for (const end of ['terminated', 'shutting-down'] as const) {
    assert.equal(later(['running', 5], [end, 1]), `${end} 1`);
    assert.equal(later([end, 5], ['running', 9]), `${end} 5`);
  }
  assert.equal(later(['shutting-down', 5], ['terminated', 4]), 'terminated 4');
  assert.equal(later(['terminated', 5], ['shutting-down', 9]), 'terminated 5');
  assert.equal(later(['shutting-down', 5], ['gone', 9]), 'terminated 9');
  assert.equal(later(['gone', 5], ['running', 9]), 'running 9');
});

test('when nobody can be asked, the state further on in a life counts', () => {
  const states: InstanceState[] = ['running', 'pending'];
  for (const [a, b] of [states, states.toReversed()]) {
    assert.equal(furtherFact({ state: a ?? 'pending', time: 1 }, { state: b ?? 'pending', time: 1 }).state, 'running');
  }
});

test('versions grow over removals', () => {
  assert.equal(nextVersion(null, 1000), 1000);
  assert.equal(nextVersion(999, 1000), 1000);
  assert.equal(nextVersion(1000, 1000), 1001);
  assert.equal(nextVersion(5000, 1000), 5001);
});

test('the ARN of an instance is one of this partition, region and account, and nothing else', () => {
  const place = { partition: 'aws-cn', account: '123456789012', region: 'cn-north-1' };
  assert.deepEqual(placeOf('arn:aws-cn:dynamodb:cn-north-1:123456789012:table/claims/stream/x'), place);
  assert.equal(placeOf('arn:aws:s3:::bucket'), null);
  assert.equal(instanceIdOf('arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-0abc', place), 'i-0abc');
  for (const arn of [
    'arn:aws:ec2:cn-north-1:123456789012:instance/i-0abc',
    'arn:aws-cn:ec2:cn-north-1:123456789012:instance/',
    'arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-0abc#x',
    'arn:aws-cn:ec2:cn-north-1:123456789012:volume/i-0abc',
    'i-0abc',
    `arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-${'0'.repeat(300)}`,
  ]) {
    assert.equal(instanceIdOf(arn, place), null, arn);
  }
});
