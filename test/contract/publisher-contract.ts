/** What every `Publisher` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { OutgoingEvent, Publisher } from '../../shared/reconcile/ports.ts';

export interface PublisherSubject {
  readonly publisher: Publisher;
  /** What the bus has taken, in order. */
  taken(): readonly OutgoingEvent[];
}

/** Events of this detail-type are never taken. */
export const refusedType = 'Refused';

export function runPublisherContract(name: string, make: (t: TestContext) => Promise<PublisherSubject>): void {
  const event = (number: number, detailType = 'Route Change') => ({ detailType, detail: { number, of: ['rtb-1'] } });

  describe(name, () => {
    test('has nothing to do for no event', async (t) => {
      const { publisher, taken } = await make(t);
      assert.deepEqual([await publisher.put([]), taken()], [[], []]);
    });

    test('puts events in their order, however many', async (t) => {
      const { publisher, taken } = await make(t);
      const events = Array.from({ length: 23 }, (_, number) => event(number));
      assert.deepEqual(await publisher.put(events), []);
      assert.deepEqual(taken(), events);
    });

    test('names those that were not taken and puts the rest', async (t) => {
      const { publisher, taken } = await make(t);
      const events = [event(0), event(1, refusedType), event(2), event(3, refusedType)];
      assert.deepEqual(await publisher.put(events), [1, 3]);
      assert.deepEqual(taken(), [event(0), event(2)]);
    });
  });
}
