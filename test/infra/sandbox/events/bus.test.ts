import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox({ functions: false });
const { events, sqs } = clients(sandbox);
const url = (name: string) => `${sandbox.url}/123456789012/fixture-${name}`;

const put = (...Entries: NonNullable<ConstructorParameters<typeof PutEventsCommand>[0]['Entries']>) =>
  events.send(new PutEventsCommand({ Entries }));
const order = (detail: unknown) => ({ Source: 'tests', DetailType: 'Order', Detail: JSON.stringify(detail) });
/** Takes all messages of a queue, for good. */
const taken = async (name: string) => {
  const command = new ReceiveMessageCommand({
    QueueUrl: url(name),
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['All'],
  });
  const { Messages = [] } = await sqs.send(command);
  for (const queue of sandbox.sqs.queues) if (queue.model.name.endsWith(name)) queue.purge();
  return Messages;
};
// With functions off, messages in a mapped queue wait for a receive: wait for deliveries only.
const delivered = async () => {
  while (sandbox.activity.list().some((what) => what.startsWith('delivery')))
    await new Promise((resolve) => setImmediate(resolve));
};

test('an event that matches a rule is delivered whole into its FIFO queue', async () => {
  const { Entries: [entry] = [] } = await put({
    ...order({ n: 1 }),
    Time: new Date('2026-03-10T10:15:30Z'),
    Resources: ['arn:x'],
  });
  await delivered();
  const [message, ...more] = await taken('orders.fifo');
  assert.equal(more.length, 0);
  assert.equal(message?.Attributes?.MessageGroupId, 'orders');
  assert.deepEqual(JSON.parse(message?.Body ?? ''), {
    version: '0',
    id: entry?.EventId,
    'detail-type': 'Order',
    source: 'tests',
    account: '123456789012',
    time: '2026-03-10T10:15:30Z',
    region: 'eu-central-1',
    resources: ['arn:x'],
    detail: { n: 1 },
  });
});

test('two events of one content are two messages, because each has an id of its own', async () => {
  await put(order({ n: 2 }), order({ n: 2 }));
  await delivered();
  assert.equal((await taken('orders.fifo')).length, 2);
});

test('an event that matches no rule goes nowhere', async () => {
  await put({ ...order({}), DetailType: 'Something else' });
  await delivered();
  assert.deepEqual(await taken('orders.fifo'), []);
});

test('an entry that is wrong fails alone, with its own code', async () => {
  const { FailedEntryCount, Entries = [] } = await put(
    order({ n: 3 }),
    { ...order({}), Detail: 'no json' },
    { DetailType: 'Order', Detail: '{}' },
    { ...order({}), Source: 'aws.ec2' },
    { ...order({}), EventBusName: 'nowhere' },
  );
  assert.equal(FailedEntryCount, 4);
  assert.deepEqual(
    Entries.map(({ ErrorCode }) => ErrorCode),
    [undefined, 'MalformedDetail', 'InvalidArgument', 'NotAuthorizedForSourceException', 'InvalidArgument'],
  );
  await delivered();
  assert.equal((await taken('orders.fifo')).length, 1);
});

test('more than ten entries and more than a megabyte are refused', async () => {
  await assert.rejects(put(...Array.from({ length: 11 }, () => order({}))), { name: 'ValidationException' });
  await assert.rejects(put(order({ text: 'x'.repeat(1_048_577) })), /over the limit/);
  await delivered();
  assert.deepEqual(await taken('orders.fifo'), []);
});

test('a target that does not exist sends the event to the dead-letter queue at once', async () => {
  await put({ Source: 'tests', DetailType: 'Lost', Detail: '{"n":4}' });
  await delivered();
  const [message] = await taken('EventsDeadLetterQueue');
  assert.deepEqual(JSON.parse(message?.Body ?? '').detail, { n: 4 });
  const attribute = (name: string) => message?.MessageAttributes?.[name]?.StringValue;
  assert.equal(attribute('ERROR_CODE'), 'NO_RESOURCE');
  assert.equal(attribute('RULE_ARN'), 'arn:aws:events:eu-central-1:123456789012:rule/fixture-LostRule');
  assert.equal(attribute('RETRY_ATTEMPTS'), '0');
});

test('a target that fails for a while is tried again', async () => {
  sandbox.fault({ service: 'sqs', action: 'SendMessage', caller: 'events', error: 'InternalError', times: 2 });
  await put(order({ n: 5 }));
  await delivered();
  assert.equal((await taken('orders.fifo')).length, 1);
  assert.deepEqual(await taken('EventsDeadLetterQueue'), []);
});

test('a target that keeps failing sends the event to the dead-letter queue after its retries', async () => {
  sandbox.fault({
    service: 'sqs',
    action: 'SendMessage',
    caller: 'events',
    match: { QueueName: 'fixture-orders.fifo' },
    error: 'InternalError',
    times: 3,
  });
  await put(order({ n: 6 }));
  await delivered();
  assert.deepEqual(await taken('orders.fifo'), []);
  const [message] = await taken('EventsDeadLetterQueue');
  const attribute = (name: string) => message?.MessageAttributes?.[name]?.StringValue;
  assert.equal(attribute('EXHAUSTED_RETRY_CONDITION'), 'MaximumRetryAttempts');
  assert.equal(attribute('RETRY_ATTEMPTS'), '2');
});

test("the control endpoint puts events of AWS's own sources on the bus", async () => {
  const event = { source: 'tests', 'detail-type': 'Order', time: '2026-01-01T00:00:00Z', detail: { n: 7 } };
  await control(sandbox, 'POST', 'events', event);
  await delivered();
  const [message] = await taken('orders.fifo');
  assert.equal(JSON.parse(message?.Body ?? '').time, '2026-01-01T00:00:00Z');
});
