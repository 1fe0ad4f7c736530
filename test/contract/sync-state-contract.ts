/** What every `SyncStateStore` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { SyncStateStore } from '../../shared/reconcile/ports.ts';

export function runSyncStateContract(name: string, make: (t: TestContext) => Promise<SyncStateStore>): void {
  describe(name, () => {
    test('is null before the first writing', async (t) => {
      assert.equal(await (await make(t)).read(), null);
    });

    test('gives back the JSON that was written last', async (t) => {
      const store = await make(t);
      await store.write({ old: true });
      const state = {
        tables: { 'rtb-1': { retryAt: 1.5, rows: [] } },
        empty: '',
        none: null,
        deep: [[{ a: '\u00e9' }]],
      };
      await store.write(state);
      assert.deepEqual(await store.read(), state);
    });

    test('has room for a thousand leases in two hundred tables', async (t) => {
      const store = await make(t);
      const tables = Array.from({ length: 200 }, (_, table) => `rtb-${String(table).padStart(17, '0')}`);
      const state = Object.fromEntries(Array.from({ length: 1_000 }, (_, lease) => [`10.0.${lease}.0/24`, tables]));
      await store.write(state);
      assert.deepEqual(await store.read(), state);
    });
  });
}
