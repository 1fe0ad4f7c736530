/** What every `Publisher` does. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { OutgoingEvent, Publisher } from '../../shared/reconcile/ports.ts';
import { type Differences, describeContract } from './describe-contract.ts';

export interface PublisherSubject {
  readonly publisher: Publisher;
  /** The events that somebody who listens to the bus has got so far, in any order: EventBridge promises none. */
  landed(): Promise<readonly OutgoingEvent[]>;
}

/** What the listener listens to. */
export const network = 'contract';

/** A detail-type that no bus takes: an entry needs one. */
export const refusedType = '';

/** @param differs see `describeContract` */
export function runPublisherContract(
  name: string,
  make: (t: TestContext) => Promise<PublisherSubject>,
  differs: Differences = {},
): void {
  describeContract(name, make, differs, (contract) => {
    contract('has nothing to do for no event', async ({ publisher, landed }) => {
      assert.deepEqual([await publisher.put([]), await landed()], [[], []]);
    });

    contract('puts every event once, however many', async ({ publisher, landed }) => {
      const events = Array.from({ length: 23 }, (_, number) => event(number));
      assert.deepEqual(await publisher.put(events), []);
      assert.deepEqual(inOrder(await landed()), events);
    });

    contract('puts two events of one content as two', async ({ publisher, landed }) => {
      assert.deepEqual(await publisher.put([event(0), event(0)]), []);
      assert.deepEqual(await landed(), [event(0), event(0)]);
    });

    contract('puts events that are more than a request takes', async ({ publisher, landed }) => {
      const events = Array.from({ length: 5 }, (_, number) => event(number, 'ü'.repeat(50_000)));
      assert.deepEqual(await publisher.put(events), []);
      assert.deepEqual(inOrder(await landed()), events);
    });

    contract('names those that were not taken and puts the rest', async ({ publisher, landed }) => {
      const refused = { ...event(9), detailType: refusedType };
      assert.deepEqual(await publisher.put([event(0), refused, event(2), refused]), [1, 3]);
      assert.deepEqual(inOrder(await landed()), [event(0), event(2)]);
    });

    contract('names an event over 256 KiB and puts the rest', async ({ publisher, landed }) => {
      assert.deepEqual(await publisher.put([event(0), event(1, 'ü'.repeat(131_072)), event(2)]), [1]);
      assert.deepEqual(inOrder(await landed()), [event(0), event(2)]);
    });
  });
}

function event(number: number, text = 'ü'): OutgoingEvent {
  return { detailType: 'Lease Change', detail: { network, number, of: ['rtb-1'], text } };
}

function inOrder(events: readonly OutgoingEvent[]): OutgoingEvent[] {
  const number = ({ detail }: OutgoingEvent) => Number(detail['number']);
  return [...events].sort((a, b) => number(a) - number(b));
}
