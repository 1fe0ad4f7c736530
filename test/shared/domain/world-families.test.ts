import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lease, local, planOfParts, row, stepsOf } from './world-file.ts';

const dualStack = { EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };
const retired = { Retired: [{ Network: 'fd00:244::/48', SubnetLen: 64 }] };
const dual = (n: number, more = {}) => lease(n, { ipv6Subnet: `fd00:244:0:${n}::/64`, ...more });
const ipv4Row = row('10.244.1.0/24', 'eni-1');
const ipv6Row = row('fd00:244:0:1::/64', 'eni-1');

describe('IPv6 switched off, while leases still have an IPv6 part', () => {
  it('IPv4 goes on, and the IPv6 rows of the range that was given up go', () => {
    const plan = planOfParts({
      leaseway: retired,
      leases: [dual(1), dual(2)],
      tables: { 'rtb-1': [local, ipv4Row, ipv6Row] },
    });
    assert.deepEqual(stepsOf(plan), ['create 10.244.2.0/24 eni-2 missing', 'delete fd00:244:0:1::/64 eni-1 released']);
    assert.equal(plan.leases['10.244.1.0/24']?.status, 'routed');
    assert.equal(plan.leases['10.244.2.0/24']?.status, 'pending');
    assert.equal(plan.guard.refused, false);
  });

  it('IPv4 is repaired, and IPv6 rows of a range that nobody gave up stay', () => {
    const plan = planOfParts({
      leases: [dual(1)],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-9'), ipv6Row] },
    });
    assert.deepEqual(stepsOf(plan), ['replace 10.244.1.0/24 eni-9 > eni-1 changed']);
    assert.equal(plan.tables['rtb-1']?.foreign, 2);
  });

  it('however many rows go, the guard lets them: the configuration says so', () => {
    const many = [1, 2, 3, 4, 5];
    const plan = planOfParts({
      leaseway: retired,
      leases: many.map((n) => dual(n)),
      tables: {
        'rtb-1': [
          local,
          ...many.flatMap((n) => [row(`10.244.${n}.0/24`, `eni-${n}`), row(`fd00:244:0:${n}::/64`, `eni-${n}`)]),
        ],
      },
    });
    assert.equal(plan.guard.refused, false);
    assert.equal(stepsOf(plan).length, 5);
  });
});

describe('IPv6 switched on, while leases have no IPv6 part yet', () => {
  it('IPv4 goes on', () => {
    const plan = planOfParts({
      config: dualStack,
      leases: [lease(1), dual(2)],
      tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-9')] },
    });
    assert.deepEqual(stepsOf(plan), [
      'replace 10.244.1.0/24 eni-9 > eni-1 changed',
      'create 10.244.2.0/24 eni-2 missing',
      'create fd00:244:0:2::/64 eni-2 missing',
    ]);
  });
});

describe('an IPv6 part without a place', () => {
  const parts = {
    'of another index': { lease: dual(1, { ipv6Subnet: 'fd00:244:0:9::/64' }), config: {} },
    'of another length': { lease: dual(1, { ipv6Subnet: 'fd00:244::/56' }), config: {} },
    'of another range': { lease: dual(1, { ipv6Subnet: 'fd00:999:0:1::/64' }), config: {} },
    'that is protected': { lease: dual(1), config: { Leaseway: { Protected: ['fd00:244:0:1::/64'] } } },
  };
  for (const [which, { lease: wrong, config }] of Object.entries(parts)) {
    it(`${which} is named, and IPv4 goes on`, () => {
      const plan = planOfParts({ config: { ...dualStack, ...config }, leases: [wrong] });
      assert.deepEqual(stepsOf(plan), ['create 10.244.1.0/24 eni-1 missing']);
      assert.equal(plan.leases['10.244.1.0/24']?.status, 'rejected');
      assert.match(
        plan.leases['10.244.1.0/24']?.reason ?? '',
        /^fd00:.* 10\.244\.1\.0\/24 goes on, pending: to be written/,
      );
    });
  }

  it('keeps its row in the live range, for repairing the lease repairs the row', () => {
    const plan = planOfParts({
      config: dualStack,
      leases: [dual(1, { ipv6Subnet: 'fd00:244:0:9::/64' })],
      tables: { 'rtb-1': [local, ipv4Row, row('fd00:244:0:9::/64', 'eni-1')] },
    });
    assert.deepEqual(stepsOf(plan), []);
  });

  it('takes nothing from the lease that holds it rightly', () => {
    const plan = planOfParts({
      config: dualStack,
      leases: [dual(1, { ipv6Subnet: 'fd00:244:0:2::/64' }), dual(2)],
      tables: { 'rtb-1': [local, ipv4Row, row('10.244.2.0/24', 'eni-2'), row('fd00:244:0:2::/64', 'eni-1')] },
    });
    assert.deepEqual(stepsOf(plan), ['replace fd00:244:0:2::/64 eni-1 > eni-2 changed']);
  });

  it('of a range that another one took the place of is emptied there', () => {
    const plan = planOfParts({
      config: { ...dualStack, IPv6Network: 'fd00:245::/48', Leaseway: retired },
      leases: [dual(1)],
      tables: { 'rtb-1': [local, ipv4Row, ipv6Row] },
    });
    assert.deepEqual(stepsOf(plan), ['delete fd00:244:0:1::/64 eni-1 released']);
  });
});

describe('the first family changed', () => {
  it('no route is lost while nodes have not moved', () => {
    const ipv6Alone = { EnableIPv4: false, Network: undefined, SubnetLen: undefined, ...dualStack };
    const rows = [local, ipv4Row, ipv6Row];
    const off = planOfParts({
      config: { ...ipv6Alone, Leaseway: { Retired: [{ Network: '10.244.0.0/16', SubnetLen: 24 }] } },
      leases: [dual(1)],
      tables: { 'rtb-1': rows },
    });
    assert.deepEqual(stepsOf(off), []);
    const on = planOfParts({
      config: dualStack,
      leases: [lease(1, { subnet: 'fd00:244:0:1::/64' })],
      tables: { 'rtb-1': rows.slice(0, 1).concat(ipv6Row) },
    });
    assert.deepEqual(stepsOf(on), []);
  });
});
