/** What only the fake route tables do: the troubles that a test can order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../shared/domain/cidr.ts';
import { FakeRouteTables } from '../fakes/reconcile/route-tables.ts';

const destination = parseCidr('10.244.1.0/24', 'destination');
const row = '10.244.1.0/24 -> eni-1 active';
const local = '10.0.0.0/16 -> local active';

function two(): FakeRouteTables {
  const tables = new FakeRouteTables();
  tables.addTable({ id: 'rtb-1', isMain: true });
  tables.addTable({ id: 'rtb-2' });
  tables.interfaces('attached', 'eni-1');
  return tables;
}

async function seen(tables: FakeRouteTables): Promise<number[]> {
  return (await tables.readVpc('vpc-1')).map(({ routes }) => routes.length);
}

test('a write that fails before its effect changes nothing, one that fails after it does', async () => {
  const tables = two();
  tables.faults.add({ action: 'CreateRoute', meaning: 'transient' });
  await assert.rejects(tables.create('rtb-1', destination, 'eni-1'), { meaning: 'transient' });
  assert.deepEqual(tables.text('rtb-1'), [local]);
  tables.faults.add({ action: 'CreateRoute', meaning: 'transient', when: 'after' });
  await assert.rejects(tables.create('rtb-1', destination, 'eni-1'), { meaning: 'transient' });
  assert.deepEqual(tables.text('rtb-1'), [local, row]);
});

test('a fault hits the n-th call of its action and resource, as often as it says', async () => {
  const tables = two();
  tables.faults.add({ action: 'CreateRoute', resource: 'rtb-2', meaning: 'denied', after: 1, times: 2 });
  const outcomes = [];
  for (const id of ['rtb-2', 'rtb-1', 'rtb-2', 'rtb-1', 'rtb-2', 'rtb-2']) {
    outcomes.push(
      await tables.create(id, destination, 'eni-1').then(
        () => 'done',
        (error) => error.meaning,
      ),
    );
  }
  assert.deepEqual(outcomes, ['done', 'done', 'denied', 'done', 'denied', 'done']);
});

test('reads can be late, and go back in time', async () => {
  const tables = two();
  await tables.create('rtb-1', destination, 'eni-1');
  tables.lag('rtb-1', 2);
  assert.deepEqual(
    [await seen(tables), await seen(tables), await seen(tables)],
    [
      [1, 1],
      [1, 1],
      [2, 1],
    ],
  );
  tables.lag('rtb-1', 1, true);
  assert.deepEqual(
    [await seen(tables), await seen(tables), await seen(tables)],
    [
      [2, 1],
      [1, 1],
      [2, 1],
    ],
  );
});

test('a read is a call a page, and fails with any of them', async () => {
  const tables = two();
  tables.pageSize = 1;
  assert.deepEqual(await seen(tables), [1, 1]);
  assert.equal(tables.calls.length, 2);
  tables.faults.add({ action: 'DescribeRouteTables', meaning: 'throttled', after: 1 });
  await assert.rejects(tables.readVpc('vpc-1'), { meaning: 'throttled' });
});

test('a read can be empty though nothing is gone', async () => {
  const tables = two();
  tables.emptyReads = 1;
  assert.deepEqual([await seen(tables), await seen(tables)], [[], [1, 1]]);
});

test('an action is throttled once its budget is spent', async () => {
  const tables = two();
  tables.budget.set('CreateRoute', 1);
  await tables.create('rtb-1', destination, 'eni-1');
  await assert.rejects(tables.create('rtb-2', destination, 'eni-1'), { meaning: 'throttled' });
  await tables.replace('rtb-1', destination, 'eni-1');
});
