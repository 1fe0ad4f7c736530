import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planText } from '../../../shared/domain/render-plan-text.ts';
import { planWarnings } from '../../../shared/domain/render-plan-warnings.ts';
import { lease, local, now, planOfParts, row } from './world-file.ts';

describe('a plan for people', () => {
  it('has a block a table, a line a step, and a sum', () => {
    const plan = planOfParts({
      listed: ['rtb-1', 'rtb-2', 'rtb-3'],
      leases: [lease(1), lease(2), lease(3, { state: 'released' }), lease(4)],
      tables: {
        'rtb-1': [
          local,
          row('10.244.1.128/25', 'eni-vpn'),
          row('10.244.2.0/24', 'eni-old'),
          row('10.244.3.0/24', 'eni-3'),
          row('10.244.4.0/24', null, { VpcPeeringConnectionId: 'pcx-9' }),
        ],
        'rtb-2': [local, row('10.244.1.0/24', 'eni-1'), row('10.244.2.0/24', 'eni-2'), row('10.244.4.0/24', 'eni-4')],
      },
    });
    assert.deepEqual(planText(plan).split('\n'), [
      'rtb-1  0 kept, 3 foreign, room for 496',
      '  ~ 10.244.2.0/24 eni-old -> eni-2  changed   the lease of i-2 is at eni-2',
      '  + 10.244.1.0/24 -> eni-1          missing   the lease of i-1 has no route in this table',
      '  - 10.244.3.0/24 (was eni-3)       released  the lease of i-3 is released',
      '  ! 10.244.4.0/24 -> pcx-9          conflict  not ours, holds what a lease asks for',
      '  ! 10.244.1.128/25 -> eni-vpn      shadow    not ours, takes part of the traffic of a lease',
      '',
      'rtb-2  3 kept, 1 foreign, room for 497',
      '  nothing to change',
      '',
      'rtb-3  cannot be found',
      '',
      'leases  0 of 4 routed',
      '  10.244.1.0/24  pending   to be written in rtb-1; rtb-3 cannot be found',
      '  10.244.2.0/24  pending   to be written in rtb-1; rtb-3 cannot be found',
      '  10.244.3.0/24  released  i-3 gave the subnet back or is terminated',
      '  10.244.4.0/24  conflict  held by a route that is not ours in rtb-1',
      '',
      '3 changes in 1 table: 1 create, 1 replace, 1 delete',
    ]);
  });

  it('marks what the guard holds and says how to let it through', () => {
    const rows = [1, 2, 3].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`));
    const plan = planOfParts({ tables: { 'rtb-1': [local, ...rows] } });
    assert.deepEqual(planText(plan).split('\n').slice(1, 4), [
      '  - 10.244.1.0/24 (was eni-1)  orphan, held  no lease, live or released, knows this route',
      '  - 10.244.2.0/24 (was eni-2)  orphan, held  no lease, live or released, knows this route',
      '  - 10.244.3.0/24 (was eni-3)  orphan, held  no lease, live or released, knows this route',
    ]);
    assert.deepEqual(planText(plan).split('\n').slice(-4), [
      'guard: too many deletions that a hole in the leases could explain: 3 of 3 rows in rtb-1',
      `if they are meant: --force ${plan.guard.digest}`,
      '',
      'nothing to change in 1 table; 3 deletions held back by the guard',
    ]);
  });
});

describe('what calls for somebody', () => {
  it('is one line each', () => {
    const plan = planOfParts({
      listed: ['rtb-1', 'rtb-2'],
      leases: [lease(1), lease(2), lease(3), lease(4, { subnet: '10.9.0.0/24' })],
      tables: {
        'rtb-1': [
          local,
          row('10.244.1.128/25', 'eni-vpn'),
          row('10.244.2.0/24', null, { VpcPeeringConnectionId: 'pcx-9' }),
          row('10.244.1.0/24', 'eni-1'),
        ],
      },
      options: { routeLimit: 3 },
    });
    assert.deepEqual(planWarnings(plan), [
      'rtb-1: conflict: 10.244.2.0/24 -> pcx-9 is not ours and stays',
      "rtb-1: shadow: 10.244.1.128/25 -> eni-vpn is not ours and takes part of a lease's traffic",
      'rtb-2: cannot be found',
      '10.9.0.0/24: rejected: 10.9.0.0/24 is outside 10.244.0.0/16',
      '10.244.3.0/24: overflow: no room in rtb-1',
    ]);
  });

  it('is also a lease whose subnet another lease holds', () => {
    const plan = planOfParts({ leases: [lease(1), lease(1, { instanceId: 'i-9', acquiredAt: now })] });
    assert.deepEqual(planWarnings(plan), [
      '10.244.1.0/24 (i-9): conflict: 10.244.1.0/24 is held by i-1, which came first',
    ]);
  });

  it('is nothing where all is well', () => {
    const plan = planOfParts({ leases: [lease(1)], tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-1')] } });
    assert.deepEqual(planWarnings(plan), []);
  });
});
