/** What every `LeaseBook` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LeaseBook, Transaction } from '../../shared/keeper/ports.ts';
import { holderRecord, leaseRecord } from './lease-samples.ts';

export type MakeLeaseBook = (t: TestContext) => Promise<LeaseBook>;

const config = { text: '{"Network":"10.244.0.0/16"}', revision: 1, appliedAt: 1_793_491_200 };

function grant(number: number, fields: Transaction = {}): Transaction {
  return {
    leases: [{ item: leaseRecord(number), expected: null }],
    holders: [{ item: holderRecord(number), expected: null }],
    ...fields,
  };
}

export function runLeaseBookContract(name: string, make: MakeLeaseBook): void {
  describe(name, () => {
    test('is empty at first', async (t) => {
      const book = await make(t);
      assert.deepEqual(await book.readAll(), { config: null, leases: [], holders: [], counter: 0, unreadable: [] });
      assert.equal(await book.readConfig(), null);
      assert.equal(await book.readLease(leaseRecord(1).subnet), null);
      assert.equal(await book.readHolder('i-1'), null);
    });

    test('gives back leases and holders as they were written', async (t) => {
      const book = await make(t);
      const ended = leaseRecord(2, { state: 'released', instanceId: null, releasedAt: 5, ttl: 9, expiresAt: null });
      assert.equal(await book.commit(grant(1)), 'done');
      assert.equal(await book.commit({ leases: [{ item: ended, expected: null }] }), 'done');
      assert.deepEqual(await book.readLease(leaseRecord(1).subnet), leaseRecord(1));
      assert.deepEqual(await book.readHolder('i-1'), holderRecord(1));
      const { leases, holders } = await book.readAll();
      assert.deepEqual([leases, holders], [[leaseRecord(1), ended], [holderRecord(1)]]);
    });

    test('counts the transactions that touch leases, and no others', async (t) => {
      const book = await make(t);
      await book.commit(grant(1));
      await book.commit({ holders: [{ item: holderRecord(1, { version: 2 }), expected: 1 }] });
      await book.commit({ config: { item: config, expected: null } });
      await book.commit(grant(2));
      assert.equal((await book.readAll()).counter, 2);
    });

    test('takes a new item only where there is none, and a newer one only over the version read', async (t) => {
      const book = await make(t);
      await book.commit(grant(1));
      const change = (version: number, expected: number) =>
        book.commit({ leases: [{ item: leaseRecord(1, { version }), expected }] });
      assert.equal(
        await book.commit({ leases: [{ item: leaseRecord(1, { version: 9 }), expected: null }] }),
        'conflict',
      );
      assert.equal(await change(3, 2), 'conflict');
      assert.equal(await change(2, 1), 'done');
      assert.equal(await change(2, 1), 'conflict');
      assert.equal((await book.readLease(leaseRecord(1).subnet))?.version, 2);
    });

    test('writes all or nothing', async (t) => {
      const book = await make(t);
      await book.commit(grant(1));
      const half = grant(2, { holders: [{ item: holderRecord(1, { version: 2 }), expected: null }] });
      assert.equal(await book.commit(half), 'conflict');
      assert.equal(await book.readLease(leaseRecord(2).subnet), null);
      assert.equal((await book.readAll()).counter, 1);
    });

    test('puts a configuration over the revision that it replaces', async (t) => {
      const book = await make(t);
      const next = { ...config, revision: 2, text: '{}' };
      assert.equal(await book.commit({ config: { item: next, expected: 1 } }), 'conflict');
      assert.equal(await book.commit({ config: { item: config, expected: null } }), 'done');
      assert.equal(await book.commit({ config: { item: config, expected: null } }), 'conflict');
      assert.equal(await book.commit({ config: { item: next, expected: 1 } }), 'done');
      assert.deepEqual(await book.readConfig(), next);
      assert.deepEqual((await book.readAll()).config, next);
    });

    test('grants under the configuration of that revision only', async (t) => {
      const book = await make(t);
      assert.equal(await book.commit(grant(1, { configRevision: 1 })), 'conflict');
      await book.commit({ config: { item: config, expected: null } });
      assert.equal(await book.commit(grant(1, { configRevision: 2 })), 'conflict');
      assert.equal(await book.commit(grant(1, { configRevision: 1 })), 'done');
      await book.commit({ config: { item: { ...config, revision: 2 }, expected: 1 } });
      assert.equal(await book.commit(grant(2, { configRevision: 1 })), 'conflict');
    });

    test('changes the configuration only while no lease moved', async (t) => {
      const book = await make(t);
      const put = (counter: number, revision: number) =>
        book.commit({
          config: { item: { ...config, revision }, expected: revision === 1 ? null : revision - 1 },
          counter,
        });
      assert.equal(await put(0, 1), 'done');
      await book.commit(grant(1));
      assert.equal(await put(0, 2), 'conflict');
      assert.equal(await put(1, 2), 'done');
    });

    test('checks and counts in one transaction where both are asked for', async (t) => {
      const book = await make(t);
      assert.equal(await book.commit(grant(1, { counter: 0 })), 'done');
      assert.equal(await book.commit(grant(2, { counter: 0 })), 'conflict');
      assert.equal(await book.commit(grant(2, { counter: 1 })), 'done');
      assert.equal((await book.readAll()).counter, 2);
    });

    test('gives a subnet to exactly one of many at once', async (t) => {
      const book = await make(t);
      const claims = Array.from({ length: 8 }, (_, index) =>
        book.commit({
          leases: [{ item: leaseRecord(1, { instanceId: `i-${index}` }), expected: null }],
          holders: [{ item: holderRecord(index), expected: null }],
        }),
      );
      const outcomes = await Promise.all(claims);
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
      assert.equal((await book.readAll()).holders.length, 1);
    });
  });
}
