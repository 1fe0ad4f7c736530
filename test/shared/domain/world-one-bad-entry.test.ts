import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blackhole, lease, local, planOfParts, row, stepsOf } from './world-file.ts';

const dualStack = { EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };

describe('a rejected lease shields the one row it names, and no other', () => {
  for (const subnet of ['10.244.0.0/16', '0.0.0.0/0', '10.244.0.0/23', '10.244.1.0/28']) {
    it(`such as ${subnet}`, () => {
      const plan = planOfParts({
        leases: [lease(1), lease(9, { subnet })],
        tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-old'), blackhole('10.244.2.0/24', 'eni-2')] },
      });
      assert.deepEqual(stepsOf(plan), [
        'replace 10.244.1.0/24 eni-old > eni-1 changed',
        'delete 10.244.2.0/24 eni-2 blackhole',
      ]);
      assert.equal(plan.leases[subnet]?.status, 'rejected');
      assert.equal(plan.leases['10.244.1.0/24']?.status, 'pending');
    });
  }

  it('of the second family too', () => {
    const plan = planOfParts({
      config: dualStack,
      leases: [lease(1, { ipv6Subnet: 'fd00:244:0:1::/64' }), lease(9, { ipv6Subnet: 'fd00:244::/48' })],
      tables: {
        'rtb-1': [
          local,
          row('10.244.1.0/24', 'eni-1'),
          row('fd00:244:0:1::/64', 'eni-old'),
          row('10.244.9.0/24', 'eni-9'),
        ],
      },
    });
    assert.deepEqual(stepsOf(plan), ['replace fd00:244:0:1::/64 eni-old > eni-1 changed']);
  });
});

describe('a row that cannot be understood is never ours', () => {
  it('with two destinations', () => {
    const plan = planOfParts({
      tables: {
        'rtb-1': [
          local,
          row('10.244.1.0/24', 'eni-1', { DestinationIpv6CidrBlock: '::/0' }),
          row('10.244.2.0/24', 'eni-2', { DestinationPrefixListId: 'pl-1' }),
        ],
      },
    });
    assert.deepEqual(stepsOf(plan), []);
    assert.equal(plan.tables['rtb-1']?.foreign, 3);
  });
});

describe('a known end of an instance is strong evidence', () => {
  const dead = { 'i-1': 'terminated', 'i-2': 'terminated', 'i-3': 'terminated' };

  it('for leases that had expired before', () => {
    const plan = planOfParts({
      leases: [1, 2, 3].map((n) => lease(n, { state: 'expired' })),
      tables: { 'rtb-1': [local, ...[1, 2, 3].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`))] },
      states: dead,
    });
    assert.equal(plan.guard.refused, false);
    assert.equal(stepsOf(plan).length, 3);
  });

  it('for orphans, however their ids are spelt', () => {
    const plan = planOfParts({
      tables: {
        'rtb-1': [local, ...[1, 2, 3].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`, { InstanceId: `I-${n}` }))],
      },
      states: dead,
    });
    assert.equal(plan.guard.refused, false);
    assert.equal(stepsOf(plan).length, 3);
  });
});

it('destinations are printed in canonical form, however a table spells them', () => {
  const plan = planOfParts({
    config: dualStack,
    leases: [lease(3)],
    tables: {
      'rtb-1': [
        local,
        blackhole('10.244.1.77/24', 'eni-1'),
        blackhole('FD00:0244:0:2::/64', 'eni-2'),
        row('10.244.3.9/32', 'eni-x'),
        row('10.244.3.200/25', 'eni-x'),
      ],
    },
  });
  const { steps, shadows } = plan.tables['rtb-1'] ?? { steps: [], shadows: [] };
  assert.deepEqual(
    steps.map(({ action, destination }) => `${action} ${destination}`),
    ['create 10.244.3.0/24', 'delete 10.244.1.0/24', 'delete fd00:244:0:2::/64'],
  );
  assert.deepEqual(
    shadows.map(({ destination }) => destination),
    ['10.244.3.9/32', '10.244.3.128/25'],
  );
});
