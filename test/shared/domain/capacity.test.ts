import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseRoutes, countedRows, inRoomOrder } from '../../../shared/domain/capacity.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { DesiredRoute } from '../../../shared/domain/desired-routes.ts';
import type { Reason, Step } from '../../../shared/domain/plan.ts';
import { parseRouteTable, type Route } from '../../../shared/domain/route.ts';
import { lease } from '../reconcile/sync-world.ts';

function route(n: number, acquiredAt = n): DesiredRoute {
  const destination = parseCidr(`10.244.${n}.0/24`, 'destination');
  return {
    destination,
    destinationText: destination.text,
    nextHop: { kind: 'eni', id: `eni-${n}`, instanceId: null },
    state: 'active',
    origin: 'CreateRoute',
    lease: lease(n, { acquiredAt }),
  };
}

function room(id: string, capacity: number, present: readonly number[] = [], taken: readonly number[] = []) {
  const names = (list: readonly number[]) => new Set(list.map((n) => `10.244.${n}.0/24`));
  return { id, capacity, present: names(present), taken: names(taken) };
}

function numbers(chosen: ReadonlySet<string> | undefined): number[] {
  return [...(chosen ?? [])].map((text) => Number(text.split('.')[2])).sort((a, b) => a - b);
}

test('E2: local, propagated and advertised rows take no room, created ones do whoever made them', () => {
  const table = parseRouteTable(
    {
      RouteTableId: 'rtb-1',
      Routes: [
        { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable' },
        { DestinationCidrBlock: '10.9.0.0/16', GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' },
        { DestinationCidrBlock: '10.8.0.0/16', IpAddress: '10.0.0.1', Origin: 'Advertisement' },
        { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-1', Origin: 'CreateRoute' },
        { DestinationPrefixListId: 'pl-1', GatewayId: 'vpce-1', Origin: 'CreateRoute' },
        { DestinationIpv6CidrBlock: '::/0', EgressOnlyInternetGatewayId: 'eigw-1', Origin: 'CreateRoute' },
      ],
    },
    'table',
  );
  assert.equal(countedRows(table, 'ipv4'), 2);
  assert.equal(countedRows(table, 'ipv6'), 2);
});

test('without a fallback a table holds what it has first, then the older lease, then the lower subnet', () => {
  const wanted = [route(1, 50), route(2, 40), route(3, 40), route(4, 10)];
  const chosen = chooseRoutes(wanted, [room('a', 2, [1]), room('b', 3), room('c', 9)], false);
  assert.deepEqual(numbers(chosen.get('a')), [1, 4]);
  assert.deepEqual(numbers(chosen.get('b')), [2, 3, 4]);
  assert.deepEqual(numbers(chosen.get('c')), [1, 2, 3, 4]);
});

test('a destination that a foreign row holds takes no room of ours', () => {
  const chosen = chooseRoutes([route(1), route(2)], [room('a', 1, [], [1])], false);
  assert.deepEqual(numbers(chosen.get('a')), [2]);
});

test('with a fallback the set is one for all tables, as large as the fullest allows', () => {
  const wanted = [route(1, 10), route(2, 20), route(3, 30)];
  const chosen = chooseRoutes(wanted, [room('a', 2, [3]), room('b', 9, [3, 2])], true);
  assert.deepEqual(numbers(chosen.get('a')), [2, 3]);
  assert.deepEqual(chosen.get('a'), chosen.get('b'));
});

test('without a fallback a table beyond its limit keeps every route of a live lease, and gets no more', () => {
  const wanted = [route(1, 30), route(2, 20), route(3, 10)];
  assert.deepEqual(numbers(chooseRoutes(wanted, [room('a', 1, [1, 2])], false).get('a')), [1, 2]);
  assert.deepEqual(numbers(chooseRoutes(wanted, [room('a', 1, [1, 2])], true).get('a')), [2]);
});

test('a full table is not asked for more than it holds', () => {
  assert.deepEqual(numbers(chooseRoutes([route(1)], [room('a', -3)], false).get('a')), []);
  assert.deepEqual(numbers(chooseRoutes([route(1)], [room('a', -3)], true).get('a')), []);
});

const create = (n: number): Step<Route> => ({ action: 'create', row: route(n), reason: 'missing' });
const remove = (n: number, reason: Reason = 'orphan', evidence: 'strong' | 'weak' = 'weak'): Step<Route> => ({
  action: 'delete',
  row: route(n),
  reason,
  evidence,
});
const replace = (n: number): Step<Route> => ({ action: 'replace', from: route(n), to: route(n), reason: 'changed' });

function order(steps: readonly Step<Route>[], free: number): string[] {
  return inRoomOrder(steps, { ipv4: free, ipv6: 0 }).map(
    (step) => `${step.action} ${(step.action === 'replace' ? step.to : step.row).destinationText.split('.')[2]}`,
  );
}

test('garbage goes last while there is room, and first, exactly as much as is needed, when there is none', () => {
  const steps = [replace(1), create(2), create(3), remove(4), remove(5), remove(6)];
  assert.deepEqual(order(steps, 2), ['replace 1', 'create 2', 'create 3', 'delete 4', 'delete 5', 'delete 6']);
  assert.deepEqual(order(steps, 1), ['replace 1', 'create 2', 'delete 4', 'create 3', 'delete 5', 'delete 6']);
  assert.deepEqual(order(steps, 0), ['replace 1', 'delete 4', 'create 2', 'delete 5', 'create 3', 'delete 6']);
});

test('strong garbage makes room before weak, and the route of a live lease goes last', () => {
  const steps = [create(1), remove(2, 'overflow', 'strong'), remove(3), remove(4, 'released', 'strong')];
  assert.deepEqual(order(steps, 0), ['delete 4', 'create 1', 'delete 3', 'delete 2']);
});
