/** What every bus does between the publisher and the sync: the rule and the queue are those of the template. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Message } from '@aws-sdk/client-sqs';
import { readMessages } from '../../functions/sync-routes/messages.ts';
import type { OutgoingEvent, Publisher } from '../../shared/reconcile/ports.ts';
import { type Differences, describeContract } from './describe-contract.ts';
import { network } from './publisher-contract.ts';

export interface EventBusSubject {
  readonly publisher: Publisher;
  /** Messages that the template's rule for changes of leases has put into its queue, taken from there for good. */
  messages(): Promise<readonly Message[]>;
  /** The rule delivers one event twice, as EventBridge may. */
  deliverTwice(): Promise<void>;
  /** From now on the queue is gone. */
  loseQueue(): Promise<void>;
  /** What the rule's dead-letter queue holds, taken from there for good. */
  deadLetters(): Promise<readonly Message[]>;
}

const change: OutgoingEvent = { detailType: 'Lease Change', detail: { network, version: 7, change: 'granted' } };

/** @param differs see `describeContract` */
export function runEventBusContract(
  name: string,
  make: (t: TestContext) => Promise<EventBusSubject>,
  differs: Differences = {},
): void {
  describeContract(name, make, differs, (contract) => {
    contract('hands the whole event to the queue, and nothing beside it', async ({ publisher, messages }) => {
      const before = Date.now();
      await publisher.put([change]);
      const [body, ...more] = (await messages()).map(({ Body = '' }) => JSON.parse(Body) as Record<string, unknown>);
      assert.deepEqual(more, []);
      assert.ok(body);
      const { id, time, ...rest } = body;
      assert.match(String(id), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
      // EventBridge knows no finer time than a second.
      assert.match(String(time), /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}Z$/);
      assert.ok(Math.abs(Date.parse(String(time)) - before) < 60_000, `${time} is not now`);
      assert.deepEqual(rest, {
        version: '0',
        'detail-type': 'Lease Change',
        source: 'leaseway',
        account: '123456789012',
        region: 'eu-central-1',
        resources: [],
        detail: change.detail,
      });
    });

    contract('gives the message the group of the rule, so that syncs are serialised', async (subject) => {
      await subject.publisher.put([change, change]);
      const groups = (await subject.messages()).map(({ Attributes }) => Attributes?.MessageGroupId);
      assert.deepEqual(groups, ['sync', 'sync']);
    });

    contract('hands over what the sync can read', async ({ publisher, messages }) => {
      await publisher.put([change]);
      const Records = (await messages()).map(({ MessageId, Body, Attributes }) => ({
        messageId: MessageId,
        body: Body,
        attributes: Attributes,
      }));
      const { newestSentAt, earliestChange, unreadable } = readMessages({ Records });
      assert.deepEqual(unreadable, []);
      assert.notEqual(newestSentAt, null);
      assert.notEqual(earliestChange, null);
    });

    contract('hands over nothing of another detail-type or another network', async ({ publisher, messages }) => {
      const strangers = [
        { ...change, detailType: 'Route Change' },
        { ...change, detailType: 'lease change' },
        { ...change, detail: { ...change.detail, network: 'another' } },
        { ...change, detail: { version: 7 } },
      ];
      assert.deepEqual(await publisher.put([...strangers, change]), []);
      const bodies = (await messages()).map(({ Body = '' }) => JSON.parse(Body) as { detail: object });
      assert.deepEqual(
        bodies.map(({ detail }) => detail),
        [change.detail],
      );
    });

    contract('is followed by a queue that drops what is delivered again', async ({ deliverTwice, messages }) => {
      await deliverTwice();
      assert.equal((await messages()).length, 1);
    });

    contract('takes an event whose queue is gone, and buries it', async (subject) => {
      await subject.loseQueue();
      assert.deepEqual(await subject.publisher.put([change]), []);
      const [letter, ...more] = await subject.deadLetters();
      assert.deepEqual(more, []);
      assert.deepEqual(JSON.parse(letter?.Body ?? '{}').detail, change.detail);
      assert.equal(letter?.MessageAttributes?.['ERROR_CODE']?.StringValue, 'NO_RESOURCE');
    });
  });
}
