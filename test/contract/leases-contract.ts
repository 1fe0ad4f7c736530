/** What every `Leases` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LeaseRecord } from '../../shared/domain/lease-record.ts';
import type { Leases } from '../../shared/reconcile/ports.ts';
import { leaseRecord } from './lease-samples.ts';

export interface LeasesSubject {
  readonly leases: Leases;
  /** The keeper puts leases in one transaction. */
  put(...leases: readonly LeaseRecord[]): Promise<void>;
  configure(config: object): Promise<void>;
}

export function runLeasesContract(name: string, make: (t: TestContext) => Promise<LeasesSubject>): void {
  describe(name, () => {
    test('tells a table without anything from one that cannot be read', async (t) => {
      const { leases } = await make(t);
      assert.deepEqual(pick(await leases.readAll()), { config: null, leases: [], counter: 0, unreadable: [] });
      assert.equal(await leases.readCounter(), 0);
    });

    test('gives all leases, tombstones too, with the configuration', async (t) => {
      const { leases, put, configure } = await make(t);
      const ended = leaseRecord(2, { state: 'released', releasedAt: 5 });
      await configure({ Network: '10.244.0.0/16' });
      await put(leaseRecord(1), ended);
      const read = await leases.readAll();
      assert.deepEqual(read.config?.text, '{"Network":"10.244.0.0/16"}');
      const shown = read.leases.map(({ subnet, state, eniId }) => [subnet.text, state, eniId]).sort();
      assert.deepEqual(shown, [
        ['10.244.1.0/24', 'active', 'eni-1'],
        ['10.244.2.0/24', 'released', 'eni-2'],
      ]);
    });

    test('counts every change', async (t) => {
      const { leases, put } = await make(t);
      await put(leaseRecord(1));
      const { counter } = await leases.readAll();
      assert.equal(await leases.readCounter(), counter);
      await put(leaseRecord(2));
      assert.ok((await leases.readCounter()) > counter);
    });
  });
}

function pick({ config, leases, counter, unreadable }: Awaited<ReturnType<Leases['readAll']>>) {
  return { config, leases, counter, unreadable };
}
