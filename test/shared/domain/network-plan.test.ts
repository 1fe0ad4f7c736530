import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { planNetwork } from '../../../shared/domain/network-plan.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { parseRouteTable } from '../../../shared/domain/route.ts';
import { lease } from '../reconcile/sync-world.ts';

const ours = { Origin: 'CreateRoute', State: 'active' };

test('a lease with a wrong IPv6 subnet keeps the IPv4 row that it has', () => {
  const config = parseNetworkConfig({
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    EnableIPv6: true,
    IPv6Network: 'fd00:244::/48',
    IPv6SubnetLen: 64,
    Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1' },
  });
  const wrong = lease(1, { ipv6Subnet: parseCidr('fd00:244:0:9::/64', 'ipv6Subnet') });
  const table = parseRouteTable(
    {
      RouteTableId: 'rtb-1',
      Routes: [{ DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: 'eni-1', ...ours }],
    },
    'table',
  );
  const plan = planNetwork({ config, leases: [wrong], tables: [table], force: null });
  assert.deepEqual(plan.tables[0]?.steps, []);
  assert.equal(plan.tables[0]?.kept.length, 1);
});

test('retired ranges and tables are emptied, live ones beside them are not', () => {
  const config = parseNetworkConfig({
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1' },
    Leaseway: {
      Retired: [{ Network: '10.99.0.0/16', SubnetLen: 24 }, { RouteTableID: 'rtb-old' }],
    },
  });
  const row = (destination: string) => ({ DestinationCidrBlock: destination, NetworkInterfaceId: 'eni-1', ...ours });
  const table = (id: string) =>
    parseRouteTable({ RouteTableId: id, Routes: ['10.244.1.0/24', '10.99.5.0/24', '10.99.0.0/17'].map(row) }, 'table');
  const plan = planNetwork({ config, leases: [lease(1)], tables: [table('rtb-1'), table('rtb-old')], force: null });
  const steps = plan.tables.map(({ id, steps: list }) => [
    id,
    list.map(
      (step) => `${step.action} ${(step.action === 'replace' ? step.to : step.row).destinationText} ${step.reason}`,
    ),
  ]);
  assert.deepEqual(steps, [
    ['rtb-1', ['delete 10.99.5.0/24 released']],
    ['rtb-old', ['delete 10.99.5.0/24 released', 'delete 10.244.1.0/24 released']],
  ]);
});

test('a range given up in a listed table makes no table of it that is given up: the guard holds without leases', () => {
  const config = parseNetworkConfig({
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1' },
    Leaseway: { Retired: [{ Network: '10.99.0.0/16', SubnetLen: 24, RouteTableID: 'rtb-1' }] },
  });
  const routes = ['10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24', '10.99.1.0/24'];
  const table = parseRouteTable(
    {
      RouteTableId: 'rtb-1',
      Routes: routes.map((DestinationCidrBlock) => ({ DestinationCidrBlock, NetworkInterfaceId: 'eni-1', ...ours })),
    },
    'table',
  );
  const plan = planNetwork({ config, leases: [], tables: [table], force: null });
  assert.equal(plan.guard.refused, true);
  assert.deepEqual(
    plan.tables[0]?.steps.map((step) => step.action === 'delete' && step.row.destinationText),
    ['10.99.1.0/24'],
  );
});
