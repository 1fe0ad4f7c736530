/** Field reports that a plan alone answers, by the id of the report. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusesWith } from './refusal.ts';
import {
  applied,
  blackhole,
  lease,
  local,
  now,
  planOfFile,
  planOfParts,
  row,
  stepsOf,
  strangers,
  type WorldParts,
  worldFile,
} from './world-file.ts';

/** Plans, and plans again after the steps were carried out: the second plan must be empty. */
function stepsThenSilence({ rows, ...parts }: WorldParts & { readonly rows: readonly Record<string, unknown>[] }) {
  const file = worldFile({ ...parts, tables: { 'rtb-1': [local, ...rows] } });
  const plan = planOfFile(file);
  assert.deepEqual(stepsOf(planOfFile(applied(file, plan))), [], 'a second run has nothing to do');
  return stepsOf(plan);
}

describe('blackholes and orphans', () => {
  it('A1: a blackhole goes although its replacement has another subnet', () => {
    const steps = stepsThenSilence({
      leases: [lease(2, { instanceId: 'i-new', eniId: 'eni-new' })],
      rows: [blackhole('10.244.1.0/24', 'eni-old')],
      states: { 'i-old': 'terminated', 'i-new': 'running' },
    });
    assert.deepEqual(steps, ['create 10.244.2.0/24 eni-new missing', 'delete 10.244.1.0/24 eni-old blackhole']);
  });

  it('A2: blackholes outside the range stay', () => {
    const steps = stepsThenSilence({
      rows: [
        blackhole('10.244.9.0/24', 'eni-gone'),
        blackhole('172.20.0.0/16', 'eni-x'),
        blackhole('0.0.0.0/0', 'eni-nat'),
      ],
    });
    assert.deepEqual(steps, ['delete 10.244.9.0/24 eni-gone blackhole']);
  });

  it('A3: a leftover blackhole on a leased subnet is replaced once', () => {
    const steps = stepsThenSilence({
      leases: [lease(3, { eniId: 'eni-live' })],
      rows: [blackhole('10.244.3.0/24', 'eni-dead')],
    });
    assert.deepEqual(steps, ['replace 10.244.3.0/24 eni-dead > eni-live blackhole']);
  });

  it('A4: a blackhole without any id on a leased subnet is replaced', () => {
    const steps = stepsThenSilence({ leases: [lease(4)], rows: [blackhole('10.244.4.0/24', null)] });
    assert.deepEqual(steps, ['replace 10.244.4.0/24 blackhole > eni-4 blackhole']);
  });

  it('A7: a route goes although nothing is known of its instance', () => {
    const steps = stepsThenSilence({
      leases: [lease(1)],
      rows: [row('10.244.1.0/24', 'eni-1'), row('10.244.7.0/24', 'eni-7', { InstanceId: 'i-7' })],
      states: {},
    });
    assert.deepEqual(steps, ['delete 10.244.7.0/24 eni-7 orphan']);
  });

  it("A9: only the orphan inside the range goes, not the user's route outside", () => {
    const steps = stepsThenSilence({ rows: [row('10.244.9.0/24', 'eni-9'), row('10.99.0.0/24', 'eni-user')] });
    assert.deepEqual(steps, ['delete 10.244.9.0/24 eni-9 orphan']);
  });

  it('A10: a lease that has not expired gives no route to a terminated instance', () => {
    const plan = planOfParts({
      leases: [lease(1, { expiresAt: now + 3600 })],
      tables: { 'rtb-1': [local], 'rtb-2': [local, blackhole('10.244.1.0/24', 'eni-1')] },
      states: { 'i-1': 'terminated' },
    });
    assert.deepEqual(stepsOf(plan, 'rtb-1'), []);
    assert.deepEqual(stepsOf(plan, 'rtb-2'), ['delete 10.244.1.0/24 eni-1 released']);
    assert.equal(plan.leases['10.244.1.0/24']?.status, 'released');
  });

  for (const state of ['stopping', 'shutting-down']) {
    it(`A12: the route of an instance that is ${state} stays while its pods drain, and is not written again`, () => {
      for (const kept of [row('10.244.1.0/24', 'eni-1'), blackhole('10.244.1.0/24', 'eni-1')]) {
        const plan = planOfParts({ leases: [lease(1)], tables: { 'rtb-1': [local, kept] }, states: { 'i-1': state } });
        assert.deepEqual(stepsOf(plan), []);
        assert.equal(plan.leases['10.244.1.0/24']?.status, 'leaving');
      }
    });
  }

  it('A12: a stopped instance loses its route at once, whatever state the route shows', () => {
    const plan = planOfParts({
      leases: [lease(1)],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-1')] },
      states: { 'i-1': 'stopped' },
    });
    assert.deepEqual(stepsOf(plan), ['delete 10.244.1.0/24 eni-1 withdrawn']);
  });

  it('F7: an instance that is still listed, as terminated, is gone', () => {
    const steps = stepsThenSilence({
      leases: [lease(1)],
      rows: [row('10.244.1.0/24', 'eni-1')],
      states: { 'i-1': 'terminated' },
    });
    assert.deepEqual(steps, ['delete 10.244.1.0/24 eni-1 released']);
  });
});

describe('identity of the next hop', () => {
  it('B6: another ENI of the right instance is replaced', () => {
    const steps = stepsThenSilence({
      leases: [lease(1, { eniId: 'eni-primary' })],
      rows: [row('10.244.1.0/24', 'eni-secondary', { InstanceId: 'i-1' })],
    });
    assert.deepEqual(steps, ['replace 10.244.1.0/24 eni-secondary > eni-primary changed']);
  });

  it('B11: names and spellings that differ on the two sides make no writes', () => {
    const plan = planOfParts({
      config: {
        EnableIPv6: true,
        IPv6Network: 'FD00:244:0::/48',
        IPv6SubnetLen: 64,
      },
      leases: [
        lease(1, {
          subnet: '10.244.1.9/24',
          ipv6Subnet: 'FD00:0244:0:0001::/64',
          eniId: 'ENI-0A1',
          nodeName: 'ip-10-0-1-1.ec2.internal',
        }),
      ],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-0a1'), row('fd00:244:0:1::/64', 'eni-0a1')] },
    });
    assert.deepEqual(stepsOf(plan), []);
    assert.equal(plan.leases['10.244.1.9/24']?.status, 'routed');
  });
});

describe('several tables', () => {
  it('C5: tables that are not listed are not in the plan', () => {
    const plan = planOfParts({
      listed: ['rtb-1', 'rtb-2'],
      leases: [lease(1)],
      tables: {
        'rtb-1': [local],
        'rtb-2': [local],
        'rtb-3': [local, row('10.244.9.0/24', 'eni-9')],
        'rtb-4': [local],
      },
    });
    assert.deepEqual(Object.keys(plan.tables), ['rtb-1', 'rtb-2']);
  });

  it('C10: tables that disagree end with the one next hop of the lease', () => {
    const plan = planOfParts({
      leases: [lease(1, { eniId: 'eni-b' })],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-a')], 'rtb-2': [local, row('10.244.1.0/24', 'eni-b')] },
    });
    assert.deepEqual(stepsOf(plan, 'rtb-1'), ['replace 10.244.1.0/24 eni-a > eni-b changed']);
    assert.deepEqual(stepsOf(plan, 'rtb-2'), []);
  });

  it('C11: the routes of another cluster in the same table stay', () => {
    assert.deepEqual(stepsThenSilence({ rows: [row('10.245.1.0/24', 'eni-9'), blackhole('10.245.2.0/24', null)] }), []);
  });
});

describe("other people's routes", () => {
  it('D1: rows without an IPv4 destination stop nothing', () => {
    const rows = [row('pl-1', null, { GatewayId: 'vpce-1' }), row('::/0', null, { GatewayId: 'igw-1' })];
    assert.deepEqual(stepsThenSilence({ leases: [lease(1)], rows: [...rows, row('10.244.1.0/24', 'eni-x')] }), [
      'replace 10.244.1.0/24 eni-x > eni-1 changed',
    ]);
  });

  it('D2: IPv6 rows stay in a network of IPv4 alone', () => {
    const rows = [row('::/0', null, { GatewayId: 'igw-1' }), row('fd00:244:0:1::/64', 'eni-pod')];
    assert.deepEqual(stepsThenSilence({ leases: [], rows }), []);
  });

  it('D8: local and propagated rows stay with every option unset, inside the range too', () => {
    const rows = [
      row('192.168.0.0/16', null, { GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' }),
      row('10.244.8.0/24', null, { GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' }),
      row('10.244.9.0/24', 'eni-rs', { Origin: 'Advertisement' }),
    ];
    assert.deepEqual(stepsThenSilence({ rows }), []);
  });

  it("D9: the operator's routes stay after a lease came, changed and went", () => {
    const rows = [
      ...strangers.slice(1),
      row('10.1.0.0/16', null, { TransitGatewayId: 'tgw-1' }),
      row('198.51.100.0/24', null, { GatewayId: 'igw-1' }),
    ];
    const ours = row('10.244.1.0/24', 'eni-1');
    assert.deepEqual(stepsThenSilence({ rows, leases: [lease(1)] }), ['create 10.244.1.0/24 eni-1 missing']);
    assert.deepEqual(stepsThenSilence({ rows: [...rows, ours], leases: [lease(1, { eniId: 'eni-2' })] }), [
      'replace 10.244.1.0/24 eni-1 > eni-2 changed',
    ]);
    assert.deepEqual(stepsThenSilence({ rows: [...rows, ours], leases: [lease(1, { state: 'released' })] }), [
      'delete 10.244.1.0/24 eni-1 released',
    ]);
  });

  it("D10: a network over the VPC's own range is refused by the names of both", () => {
    const overlapping = row('10.244.128.0/17', null, { GatewayId: 'local', Origin: 'CreateRouteTable' });
    refusesWith(
      () => planOfParts({ leases: [lease(1)], tables: { 'rtb-1': [local, overlapping] } }),
      'config.Network',
      /10\.244\.0\.0\/16.*10\.244\.128\.0\/17|10\.244\.128\.0\/17.*10\.244\.0\.0\/16/,
    );
  });

  it("P2: the VPC's own range is known although its local route leads to a firewall now", () => {
    const replaced = [
      row('10.244.128.0/17', 'eni-firewall', { Origin: 'CreateRouteTable' }),
      row('10.244.128.0/17', null, { GatewayId: 'vpce-1', Origin: 'CreateRouteTable' }),
    ];
    for (const own of replaced) {
      const world = { leases: [lease(1)], tables: { 'rtb-1': [local, own] } };
      refusesWith(() => planOfParts(world), 'config.Network', /10\.244\.128\.0\/17/);
    }
  });

  it('P5: another subnet length in the same network: what is given up goes, once its node has moved', () => {
    const config = { SubnetLen: 21, Leaseway: { Retired: [{ Network: '10.244.0.0/16', SubnetLen: 24 }] } };
    const rows = [row('10.244.1.0/24', 'eni-1'), row('10.244.2.0/24', 'eni-2')];
    const leases = [lease(1, { subnet: '10.244.8.0/21' }), lease(2)];
    const plan = planOfParts({ config, leases, tables: { 'rtb-1': [local, ...rows] } });
    assert.deepEqual(stepsOf(plan), ['create 10.244.8.0/21 eni-1 missing', 'delete 10.244.1.0/24 eni-1 released']);
    assert.equal(plan.leases['10.244.2.0/24']?.status, 'rejected');
  });

  it('D10, D11: a lease outside the network is rejected by itself, the others are served', () => {
    for (const subnet of ['10.0.0.0/16', '10.0.4.0/24', '10.200.1.0/24', '10.244.0.0/16', '10.244.1.0/25']) {
      const plan = planOfParts({ leases: [lease(1, { subnet }), lease(2)] });
      assert.deepEqual(stepsOf(plan), ['create 10.244.2.0/24 eni-2 missing'], subnet);
      assert.equal(plan.leases[subnet]?.status, 'rejected', subnet);
    }
  });
});

describe('limits', () => {
  const full = [1, 2, 3, 4].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`));
  const four = [1, 2, 3, 4].map((n) => lease(n));

  it('E1: in a full table an orphan makes room for a new lease first', () => {
    const plan = planOfParts({
      leases: [...four, lease(6)],
      tables: { 'rtb-1': [local, ...full, row('10.244.9.0/24', 'eni-9')] },
      options: { routeLimit: 5 },
    });
    assert.deepEqual(stepsOf(plan), ['delete 10.244.9.0/24 eni-9 orphan', 'create 10.244.6.0/24 eni-6 missing']);
    assert.equal(plan.tables['rtb-1']?.room, 0);
  });

  it('E1: a full table keeps what it has, and the lease that it lacks is named', () => {
    const plan = planOfParts({
      leases: [...four, lease(5), lease(6, { acquiredAt: 1 })],
      tables: { 'rtb-1': [local, ...full, row('10.244.5.0/24', 'eni-5')] },
      options: { routeLimit: 5 },
    });
    assert.deepEqual(stepsOf(plan), []);
    assert.deepEqual(plan.leases['10.244.6.0/24'], { status: 'overflow', reason: 'no room in rtb-1' });
    assert.equal(plan.leases['10.244.5.0/24']?.status, 'routed');
  });

  it('E2: propagated rows take no room', () => {
    const propagated = Array.from({ length: 60 }, (_, n) =>
      row(`10.9.${n}.0/24`, null, { GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' }),
    );
    const created = [1, 2, 3].map((n) => row(`172.16.${n}.0/24`, 'eni-x'));
    const plan = planOfParts({
      tables: { 'rtb-1': [local, ...created, ...propagated] },
      options: { routeLimit: 50 },
    });
    assert.equal(plan.tables['rtb-1']?.room, 47);
  });

  it('E3: there is no built-in stop at 50', () => {
    const leases = Array.from({ length: 60 }, (_, n) => lease(n + 1));
    assert.equal(stepsOf(planOfParts({ leases })).length, 60);
  });
});

describe('clocks', () => {
  it('G12: a lease that only a fast clock would end is not expired', () => {
    const rows = { 'rtb-1': [local, row('10.244.1.0/24', 'eni-1')] };
    const at = (seconds: number) =>
      planOfParts({ leases: [lease(1, { expiresAt: now + 20 })], tables: rows, now: now + seconds });
    for (const seconds of [30, 80]) {
      assert.deepEqual(stepsOf(at(seconds)), []);
      assert.equal(at(seconds).leases['10.244.1.0/24']?.status, 'routed');
    }
    assert.deepEqual(stepsOf(at(81)), ['delete 10.244.1.0/24 eni-1 expired']);
    assert.equal(at(81).leases['10.244.1.0/24']?.status, 'expired');
  });
});
