/** What every `Lock` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Lock } from '../../shared/reconcile/ports.ts';

export function runLockContract(name: string, make: (t: TestContext) => Promise<Lock>): void {
  describe(name, () => {
    test('is held by one at a time', async (t) => {
      const lock = await make(t);
      assert.equal(await lock.tryTake('a', 1_000, 5_000), true);
      assert.equal(await lock.tryTake('b', 4_999, 9_000), false);
    });

    test('goes to the next one when it is given back', async (t) => {
      const lock = await make(t);
      await lock.tryTake('a', 1_000, 5_000);
      await lock.release('a');
      assert.equal(await lock.tryTake('b', 1_001, 9_000), true);
    });

    test('goes to the next one when it has expired', async (t) => {
      const lock = await make(t);
      await lock.tryTake('a', 1_000, 5_000);
      assert.equal(await lock.tryTake('b', 5_000, 9_000), true);
      assert.equal(await lock.tryTake('a', 5_001, 9_000), false);
    });

    test('can be taken again by its holder, for longer', async (t) => {
      const lock = await make(t);
      await lock.tryTake('a', 1_000, 5_000);
      assert.equal(await lock.tryTake('a', 2_000, 7_000), true);
      assert.equal(await lock.tryTake('b', 6_000, 9_000), false);
    });

    test('is not given back by somebody else, nor by a holder who lost it', async (t) => {
      const lock = await make(t);
      await lock.release('nobody');
      await lock.tryTake('a', 1_000, 5_000);
      await lock.release('b');
      assert.equal(await lock.tryTake('b', 2_000, 9_000), false);
      await lock.tryTake('b', 5_000, 9_000);
      await lock.release('a');
      assert.equal(await lock.tryTake('c', 6_000, 9_000), false);
    });

    test('is taken by exactly one of many at once', async (t) => {
      const lock = await make(t);
      const taken = await Promise.all(Array.from({ length: 8 }, (_, index) => lock.tryTake(`h${index}`, 1_000, 5_000)));
      assert.equal(taken.filter(Boolean).length, 1);
    });
  });
}
