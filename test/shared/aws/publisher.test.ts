import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsClient } from '../../../shared/aws/clients.ts';
import { eventBridgePublisher } from '../../../shared/aws/publisher.ts';
import type { OutgoingEvent } from '../../../shared/reconcile/ports.ts';
import { type Answer, json, jsonError, scriptedEndpoint } from './scripted-endpoint.ts';

interface Entry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
  readonly EventBusName: string;
}

/** A bus that asks `verdict` about each entry: null accepts it, a text is the code of its refusal. */
async function bus(t: TestContext, verdict: (entry: Entry, request: number) => string | null, signal?: AbortSignal) {
  const accepted: Entry[] = [];
  const { calls, options } = await scriptedEndpoint(t, ({ body }, request) => {
    const entries = body['Entries'] as Entry[];
    const Entries = entries.map((entry) => {
      const code = verdict(entry, request);
      if (code !== null) return { ErrorCode: code, ErrorMessage: 'no' };
      accepted.push(entry);
      return { EventId: `event-${accepted.length}` };
    });
    return json({ FailedEntryCount: Entries.filter((entry) => 'ErrorCode' in entry).length, Entries });
  });
  return { accepted, calls, ...publisherOf(t, options, signal) };
}

function publisherOf(t: TestContext, options: Parameters<typeof eventsClient>[0], signal?: AbortSignal) {
  const client = eventsClient(options);
  t.after(() => client.destroy());
  const givenUp: string[] = [];
  const publisher = eventBridgePublisher({
    client,
    busName: 'default',
    signal,
    onGivenUp: ({ detailType }, reason) => givenUp.push(`${detailType} ${reason}`),
  });
  return { publisher, givenUp };
}

const events = (count: number): OutgoingEvent[] =>
  Array.from({ length: count }, (_, number) => ({ detailType: 'Route Change', detail: { number } }));

const numbers = (entries: readonly Entry[]) => entries.map(({ Detail }) => JSON.parse(Detail).number as number);

test('events go out in tens, as events of leaseway', async (t) => {
  const { publisher, accepted, calls } = await bus(t, () => null);
  assert.deepEqual(await publisher.put(events(23)), []);
  assert.deepEqual(
    calls.map(({ body }) => (body['Entries'] as Entry[]).length),
    [10, 10, 3],
  );
  assert.deepEqual(numbers(accepted), [...Array(23).keys()]);
  assert.deepEqual(accepted[0], {
    Source: 'leaseway',
    DetailType: 'Route Change',
    Detail: '{"number":0}',
    EventBusName: 'default',
  });
});

test('no call for no event', async (t) => {
  const { publisher, calls } = await bus(t, () => null);
  assert.deepEqual(await publisher.put([]), []);
  assert.deepEqual(calls, []);
});

test('only the entries that failed are sent again', async (t) => {
  const { publisher, accepted, calls } = await bus(t, ({ Detail }, request) =>
    request === 0 && /[37]/.test(Detail) ? 'ThrottlingException' : null,
  );
  assert.deepEqual(await publisher.put(events(10)), []);
  assert.deepEqual(numbers(accepted), [0, 1, 2, 4, 5, 6, 8, 9, 3, 7]);
  assert.equal(calls.length, 2);
});

test('what the bus will not have in the end is named, the rest is out', async (t) => {
  const { publisher, accepted, calls, givenUp } = await bus(t, ({ Detail }) =>
    Detail.includes('4') ? 'InternalFailure' : null,
  );
  assert.deepEqual(await publisher.put(events(12)), [4]);
  assert.equal(accepted.length, 11);
  assert.ok(calls.length > 3 && calls.length < 10);
  assert.deepEqual(givenUp, ['Route Change InternalFailure: no']);
});

test('an entry that can never be taken is not sent again', async (t) => {
  const { publisher, calls } = await bus(t, ({ Detail }) => (Detail.includes('1') ? 'MalformedDetail' : null));
  assert.deepEqual(await publisher.put(events(2)), [1]);
  assert.equal(calls.length, 1);
});

test('an event over the size is refused here, and takes no other with it', async (t) => {
  const { publisher, accepted } = await bus(t, () => null);
  const large = { detailType: 'Route Change', detail: { text: '\u00e4'.repeat(140_000) } };
  assert.deepEqual(await publisher.put([...events(1), large, ...events(1)]), [1]);
  assert.equal(accepted.length, 2);
});

test('large events share no request', async (t) => {
  const { publisher, calls } = await bus(t, () => null);
  const large = { detailType: 'Route Change', detail: { text: 'x'.repeat(150_000) } };
  assert.deepEqual(await publisher.put([large, large, large]), []);
  assert.equal(calls.length, 3);
});

for (const [what, answer, tries] of [
  ['a refused permission', jsonError('AccessDeniedException'), 1],
  ['an outage', jsonError('InternalException', 500), 2],
  ['a page of a proxy', { status: 503, body: '<html>no</html>' } satisfies Answer, 2],
] as const) {
  test(`${what} throws nothing and names every event`, async (t) => {
    const { calls, options } = await scriptedEndpoint(t, () => answer);
    const { publisher, givenUp } = publisherOf(t, options);
    assert.deepEqual(await publisher.put(events(3)), [0, 1, 2]);
    assert.equal(givenUp.length, 3);
    assert.ok(tries === 1 ? calls.length === 1 : calls.length >= tries);
  });
}

test('an answer that says nothing about an entry is no acceptance', async (t) => {
  const { options } = await scriptedEndpoint(t, () => json({ FailedEntryCount: 0, Entries: [] }));
  assert.deepEqual(await publisherOf(t, options).publisher.put(events(2)), [0, 1]);
});

test('a publisher whose caller has to be done sends nothing and names every event', async (t) => {
  const { publisher, calls } = await bus(t, () => null, AbortSignal.abort());
  assert.deepEqual(await publisher.put(events(12)), [...Array(12).keys()]);
  assert.deepEqual(calls, []);
});
