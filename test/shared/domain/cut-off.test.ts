/** Nodes whose own VPC subnet uses a table that is not listed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planText } from '../../../shared/domain/render-plan-text.ts';
import { planWarnings } from '../../../shared/domain/render-plan-warnings.ts';
import { lease, local, planOfFile, row, table } from './world-file.ts';

const routed = [local, row('10.244.1.0/24', 'eni-1'), row('10.244.2.0/24', 'eni-2')];
const subnet = (SubnetId: string) => ({ SubnetId, Main: false });
const main = { Main: true };

/** Two leases, in subnet-1 and subnet-2, routed in the one listed table; `associations` are that table's. */
function planWith(associations: readonly object[], more: { backend?: object; leases?: readonly object[] } = {}) {
  return planOfFile({
    config: { Network: '10.244.0.0/16', Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1', ...more.backend } },
    leases: more.leases ?? [lease(1, { subnetId: 'subnet-1' }), lease(2, { subnetId: 'subnet-2' })],
    routeTables: { RouteTables: [{ ...table('rtb-1', routed), Associations: associations }] },
  });
}

describe('a node in a VPC subnet that no listed table routes', () => {
  const said = 'routed in rtb-1; its node reaches no other: subnet-2 uses none of the listed tables';

  it('P1: is told beside its route, to programs, to people and as a warning', () => {
    const plan = planWith([subnet('subnet-1')]);
    assert.deepEqual(plan.leases, {
      '10.244.1.0/24': { status: 'routed', reason: 'routed in rtb-1' },
      '10.244.2.0/24': { status: 'routed', reason: said },
    });
    assert.deepEqual(planWarnings(plan), [`10.244.2.0/24: routed: ${said}`]);
    assert.ok(planText(plan).includes(`  10.244.2.0/24  routed  ${said}`), planText(plan));
  });

  it('is none where the listed table is the main one, or nothing is known of associations or of the node', () => {
    const stranger = { leases: [lease(1), lease(2)] };
    const plans = [planWith([subnet('subnet-1'), main]), planWith([]), planWith([subnet('subnet-1')], stranger)];
    for (const plan of plans) assert.deepEqual(planWarnings(plan), []);
  });

  it('P8: the association of a gateway is no subnet: a table of gateways alone serves no node', () => {
    const edge = { Main: false, GatewayId: 'igw-1', AssociationState: { State: 'associated' } };
    assert.deepEqual(planWarnings(planWith([edge])), []);
    assert.deepEqual(planWarnings(planWith([subnet('subnet-1'), edge])), [`10.244.2.0/24: routed: ${said}`]);
  });

  it('is none with a fallback, which has paths of its own, nor for a reservation', () => {
    const backend = { Fallback: { Type: 'vxlan' } };
    assert.deepEqual(planWarnings(planWith([subnet('subnet-1')], { backend })), []);
    const reserved = lease(2, { subnetId: 'subnet-2', state: 'reserved', instanceId: undefined });
    const leases = [lease(1, { subnetId: 'subnet-1' }), reserved];
    assert.deepEqual(planWarnings(planWith([subnet('subnet-1')], { leases })), []);
  });
});
