import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lease, local, now, planOfParts, row, stepsOf } from './world-file.ts';

const rows = { 'rtb-1': [local, row('10.244.1.0/24', 'eni-1')] };
const expired = { expiresAt: now - 1000 };

describe('an instance on its way down', () => {
  for (const state of ['stopping', 'shutting-down']) {
    for (const written of ['active', 'leaving', 'stale']) {
      it(`${state} makes a lease leaving past its expiry too, written as ${written}`, () => {
        const world = { leases: [lease(1, { ...expired, state: written })], states: { 'i-1': state }, tables: rows };
        const plan = planOfParts(world);
        assert.equal(plan.leases['10.244.1.0/24']?.status, 'leaving');
        assert.deepEqual(stepsOf(plan), []);
      });
    }
  }

  it('leaves a withdrawn lease as it is', () => {
    const world = { leases: [lease(1, { ...expired, state: 'withdrawn' })], states: { 'i-1': 'stopping' } };
    assert.equal(planOfParts(world).leases['10.244.1.0/24']?.status, 'withdrawn');
  });
});

describe('what is said of a lease that leaves', () => {
  const reasonOf = (leaseway: Record<string, unknown>, state: string) =>
    planOfParts({ leaseway, leases: [lease(1)], states: { 'i-1': state }, tables: rows }).leases['10.244.1.0/24'];

  it('its instance goes down', () => {
    assert.match(reasonOf({}, 'stopping')?.reason ?? '', /^i-1 is on its way down; routed/);
  });

  it('or it is stopped, where the configuration keeps the route', () => {
    const { status, reason } = reasonOf({ WhenStopped: 'keep' }, 'stopped') ?? {};
    assert.equal(status, 'leaving');
    assert.equal(reason, 'i-1 is stopped or on its way down, and WhenStopped keeps its route; routed in rtb-1');
  });
});

describe('a reservation', () => {
  const reserved = lease(1, { ...expired, state: 'reserved' });
  for (const state of [null, 'running', 'stopping', 'stopped', 'terminated']) {
    it(`that names an instance neither expires nor follows it (${state ?? 'not listed'})`, () => {
      const plan = planOfParts({
        leases: [reserved],
        tables: rows,
        ...(state === null ? {} : { states: { 'i-1': state } }),
      });
      assert.deepEqual(stepsOf(plan), []);
      assert.equal(plan.leases['10.244.1.0/24']?.status, 'routed');
    });
  }
});
