import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blackhole, lease, local, now, planOfParts, row, stepsOf, strangers, type WorldParts } from './world-file.ts';

const fallback = { Type: 'vxlan' };

function awsVpc(tables: readonly string[], more: Record<string, unknown> = {}) {
  return { Type: 'aws-vpc', RouteTableID: tables, ...more };
}

/** Status and reason of the lease of node 1. */
function statusOf(parts: WorldParts): string {
  const { status, reason } = planOfParts({ leases: [lease(1)], ...parts }).leases['10.244.1.0/24'] ?? {};
  return `${status}: ${reason}`;
}

describe('the JSON of a plan', () => {
  const plan = planOfParts({
    leases: [lease(1), lease(2), lease(3, { state: 'released' }), lease(4), lease(5)],
    tables: {
      'rtb-1': [
        ...strangers,
        row('10.244.2.0/24', 'eni-old'),
        blackhole('10.244.3.0/24', null),
        row('10.244.4.0/24', null, { VpcPeeringConnectionId: 'pcx-9' }),
        row('10.244.5.0/24', 'eni-5'),
        row('10.244.5.128/25', 'eni-vpn'),
      ],
    },
  });

  it('has the members of the contract in their order', () => {
    assert.equal(
      JSON.stringify(plan.tables),
      JSON.stringify({
        'rtb-1': {
          status: 'ok',
          steps: [
            {
              action: 'replace',
              destination: '10.244.2.0/24',
              nextHop: 'eni-2',
              was: 'eni-old',
              reason: 'changed',
              detail: 'the lease of i-2 is at eni-2',
            },
            {
              action: 'create',
              destination: '10.244.1.0/24',
              nextHop: 'eni-1',
              was: null,
              reason: 'missing',
              detail: 'the lease of i-1 has no route in this table',
            },
            {
              action: 'delete',
              destination: '10.244.3.0/24',
              nextHop: null,
              was: 'blackhole',
              reason: 'released',
              detail: 'the lease of i-3 is released',
            },
          ],
          kept: 1,
          foreign: strangers.length + 2,
          conflicts: [{ destination: '10.244.4.0/24', nextHop: 'pcx-9' }],
          shadows: [{ destination: '10.244.5.128/25', nextHop: 'eni-vpn' }],
          held: [],
          // Less six IPv4 rows that others created, and three of ours after the plan.
          room: 500 - 6 - 3,
        },
      }),
    );
    assert.deepEqual(Object.keys(plan), ['tables', 'leases', 'guard']);
    assert.deepEqual(plan.guard, { refused: false, digest: null, tables: {} });
  });

  it('has one entry a lease, in the order of the subnets', () => {
    assert.deepEqual(
      Object.entries(plan.leases).map(([subnet, { status }]) => `${subnet} ${status}`),
      [
        '10.244.1.0/24 pending',
        '10.244.2.0/24 pending',
        '10.244.3.0/24 released',
        '10.244.4.0/24 conflict',
        '10.244.5.0/24 routed',
      ],
    );
  });

  it('plans every other table when a listed one is missing', () => {
    const partial = planOfParts({ listed: ['rtb-gone', 'rtb-1'], tables: { 'rtb-1': [local] }, leases: [lease(1)] });
    assert.deepEqual(Object.keys(partial.tables), ['rtb-gone', 'rtb-1']);
    assert.equal(partial.tables['rtb-gone']?.status, 'missing');
    assert.deepEqual(stepsOf(partial), ['create 10.244.1.0/24 eni-1 missing']);
    assert.deepEqual(partial.leases['10.244.1.0/24'], {
      status: 'pending',
      reason: 'to be written in rtb-1; rtb-gone cannot be found',
    });
  });

  it('has no room, not less than none, in a table beyond its limit', () => {
    const plan = planOfParts({ tables: { 'rtb-1': strangers }, options: { routeLimit: 2 } });
    assert.equal(plan.tables['rtb-1']?.room, 0);
  });

  it('says of rows that the configuration gave up that it did, whatever their lease', () => {
    const retired = planOfParts({
      listed: ['rtb-1'],
      leaseway: { Retired: [{ RouteTableID: 'rtb-2' }] },
      leases: [lease(1)],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-1')], 'rtb-2': [local, row('10.244.1.0/24', 'eni-1')] },
    });
    assert.deepEqual(stepsOf(retired, 'rtb-2'), ['delete 10.244.1.0/24 eni-1 released']);
    assert.equal(retired.tables['rtb-2']?.steps[0]?.detail, 'the configuration gave up this range or this table');
    assert.equal(retired.leases['10.244.1.0/24']?.status, 'routed');
  });

  it('routes both families of a lease, and knows it by its IPv4 subnet', () => {
    const parts: WorldParts = {
      config: { EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 },
      leases: [lease(1, { ipv6Subnet: 'fd00:244:0:1::/64' })],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-1')] },
    };
    const dual = planOfParts(parts);
    assert.deepEqual(stepsOf(dual), ['create fd00:244:0:1::/64 eni-1 missing']);
    assert.deepEqual(Object.keys(dual.leases), ['10.244.1.0/24']);
    assert.equal(dual.leases['10.244.1.0/24']?.status, 'pending');
  });
});

describe('what becomes of a lease', () => {
  const routed = [local, row('10.244.1.0/24', 'eni-1')];

  it('is routed once every table has it', () => {
    assert.equal(statusOf({ tables: { 'rtb-1': routed, 'rtb-2': routed } }), 'routed: routed in rtb-1, rtb-2');
    assert.equal(statusOf({ tables: { 'rtb-1': routed, 'rtb-2': [local] } }), 'pending: to be written in rtb-2');
  });

  it('is a conflict where a foreign row holds its destination in one table, whatever else is true', () => {
    const held = [local, row('10.244.1.0/24', null, { GatewayId: 'vgw-1' })];
    for (const state of ['running', 'stopping']) {
      assert.equal(
        statusOf({ tables: { 'rtb-1': routed, 'rtb-2': held }, states: { 'i-1': state } }),
        'conflict: held by a route that is not ours in rtb-2',
      );
    }
  });

  it('is overflow before it is leaving', () => {
    const parts = { tables: { 'rtb-1': strangers, 'rtb-2': [local] }, options: { routeLimit: 1 } };
    assert.equal(statusOf({ ...parts, states: { 'i-1': 'stopping' } }), 'overflow: no room in rtb-1');
  });

  it('with a fallback overflows in all tables alike', () => {
    const backend = awsVpc(['rtb-1', 'rtb-2'], { Fallback: fallback });
    const parts = { backend, tables: { 'rtb-1': strangers, 'rtb-2': [local] }, options: { routeLimit: 1 } };
    assert.equal(statusOf(parts), 'overflow: no room in rtb-1, rtb-2');
  });

  it('follows its instance', () => {
    const tables = { 'rtb-1': routed };
    const expired = { leases: [lease(1, { expiresAt: now - 1000 })], tables };
    assert.equal(statusOf({ tables, states: { 'i-1': 'stopping' } }).split(':')[0], 'leaving');
    assert.equal(statusOf({ tables, states: { 'i-1': 'shutting-down' } }).split(':')[0], 'leaving');
    assert.equal(statusOf({ tables, states: { 'i-1': 'stopped' } }).split(':')[0], 'withdrawn');
    assert.equal(statusOf({ tables, states: { 'i-1': 'terminated' } }).split(':')[0], 'released');
    assert.equal(statusOf({ tables, states: { 'i-2': 'terminated' } }).split(':')[0], 'routed');
    assert.equal(statusOf({ ...expired, states: { 'i-1': 'running' } }).split(':')[0], 'stale');
    assert.equal(statusOf(expired).split(':')[0], 'expired');
    const withdrawn = { leases: [lease(1, { state: 'withdrawn', expiresAt: now - 1000 })], tables };
    assert.equal(statusOf(withdrawn).split(':')[0], 'withdrawn');
    assert.equal(statusOf({ ...withdrawn, states: { 'i-1': 'stopped' } }).split(':')[0], 'withdrawn');
    assert.equal(
      statusOf({ leases: [lease(1, { state: 'withdrawn' })], tables, states: { 'i-1': 'running' } }).split(':')[0],
      'routed',
    );
  });

  it('of a stopped instance keeps its route where the configuration says so', () => {
    const parts = { leaseway: { WhenStopped: 'keep' }, states: { 'i-1': 'stopped' } };
    const plan = planOfParts({
      ...parts,
      leases: [lease(1)],
      tables: { 'rtb-1': [local, blackhole('10.244.1.0/24', 'eni-1')] },
    });
    assert.deepEqual(stepsOf(plan), []);
    assert.equal(plan.leases['10.244.1.0/24']?.status, 'leaving');
  });

  it('that is reserved needs no instance and does not expire', () => {
    const reserved = { subnet: '10.244.1.0/24', eniId: 'eni-fw', state: 'reserved', acquiredAt: 1, expiresAt: null };
    assert.equal(
      statusOf({ leases: [reserved], tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-fw')] } }),
      'routed: routed in rtb-1',
    );
  });

  it('is no matter of route tables without them', () => {
    for (const Type of ['host-gw', 'vxlan']) {
      const parts = { backend: { Type }, tables: { 'rtb-1': [local] } };
      assert.deepEqual(planOfParts(parts).tables, {});
      assert.equal(statusOf(parts), `routed: the ${Type} backend routes on the nodes and in no route table`);
    }
  });
});

describe('the guard', () => {
  const rows = [1, 2, 3, 4, 5, 6].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`));

  it('holds what an emptied lease table would delete, in numbers and by a digest', () => {
    const plan = planOfParts({ tables: { 'rtb-1': [local, ...rows] } });
    assert.deepEqual(stepsOf(plan), []);
    assert.equal(plan.tables['rtb-1']?.held.length, 6);
    assert.deepEqual(plan.tables['rtb-1']?.held[0], {
      action: 'delete',
      destination: '10.244.1.0/24',
      nextHop: null,
      was: 'eni-1',
      reason: 'orphan',
      detail: 'no lease, live or released, knows this route',
    });
    assert.equal(plan.guard.refused, true);
    assert.match(String(plan.guard.digest), /^[0-9a-f]{16}$/);
    assert.deepEqual(plan.guard.tables, { 'rtb-1': { held: 6, ours: 6 } });
  });

  it('lets through what was shown, and nothing else', () => {
    const tables = { 'rtb-1': [local, ...rows] };
    const force = planOfParts({ tables }).guard.digest;
    const forced = planOfParts({ tables, options: { force } });
    assert.equal(stepsOf(forced).length, 6);
    assert.equal(forced.guard.refused, false);
    const more = { 'rtb-1': [local, ...rows, row('10.244.7.0/24', 'eni-7')] };
    assert.equal(planOfParts({ tables: more, options: { force } }).guard.refused, true);
  });

  it('says nothing of a scale-in whose instances are known to be terminated', () => {
    const leases = [1, 2, 3, 4, 5, 6].map((n) => lease(n));
    const states = Object.fromEntries(leases.map((_, at) => [`i-${at + 1}`, at < 5 ? 'terminated' : 'running']));
    const plan = planOfParts({ leases, states, tables: { 'rtb-1': [local, ...rows] } });
    assert.equal(stepsOf(plan).length, 5);
    assert.equal(plan.guard.refused, false);
  });
});
