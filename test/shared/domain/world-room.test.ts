/** Every world of a small table: what the steps do to its room, one by one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { blackhole, lease, local, planOfParts, row } from './world-file.ts';

const subnets = [1, 2, 3, 4, 5, 6, 7, 8];
const leaseOf = (n: number) =>
  fc.option(
    fc
      .record({ state: fc.constantFrom('active', 'leaving', 'released', 'withdrawn'), acquiredAt: fc.nat(4) })
      .map((more) => lease(n, more)),
  );
const rowOf = (n: number) =>
  fc.option(
    fc.constantFrom(
      row(`10.244.${n}.0/24`, `eni-${n}`),
      row(`10.244.${n}.0/24`, 'eni-old'),
      blackhole(`10.244.${n}.0/24`, `eni-${n}`),
      row(`10.244.${n}.0/24`, null, { GatewayId: 'vgw-1' }),
    ),
  );

it('no create goes beyond the limit, and nobody is refused while there is room', () => {
  const worlds = fc.record({
    leases: fc.tuple(...subnets.map(leaseOf)),
    rows: fc.tuple(...subnets.map(rowOf)),
    routeLimit: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(worlds, ({ leases, rows, routeLimit }) => {
      const routes = rows.filter((each) => each !== null);
      const plan = planOfParts({
        leases: leases.filter((each) => each !== null),
        tables: { 'rtb-1': [local, ...routes] },
        options: { routeLimit },
      });
      const { steps, room } = plan.tables['rtb-1'] ?? { steps: [], room: -1 };
      let count = routes.length;
      for (const { action } of steps) {
        if (action === 'delete') count -= 1;
        if (action !== 'create') continue;
        count += 1;
        assert.ok(count <= routeLimit, `${count} rows of ${routeLimit}`);
      }
      assert.equal(room, Math.max(0, routeLimit - count));
      const isFull = Object.values(plan.leases).some(({ status }) => status === 'overflow');
      assert.ok(!isFull || room === 0, 'a lease has no room, and there is some');
    }),
    { numRuns: 300 },
  );
});
