import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox({ functions: false });
const { sqs } = clients(sandbox);
const url = (name: string) => `${sandbox.url}/123456789012/fixture-${name}`;
const orders = url('orders.fifo');
const grouped = url('GroupedQueue.fifo');
const plain = url('PlainQueue');
const queues = [orders, grouped, plain, url('orders-dead.fifo'), url('GroupedDeadLetterQueue.fifo')];

const emptied = async () => {
  for (const QueueUrl of queues) await sqs.send(new PurgeQueueCommand({ QueueUrl }));
  // Past every deduplication window.
  sandbox.clock.advance(301);
};
const send = (
  QueueUrl: string,
  MessageBody: string,
  more: { MessageGroupId?: string; MessageDeduplicationId?: string; DelaySeconds?: number } = {},
) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
const receive = async (QueueUrl: string, more: { WaitTimeSeconds?: number; VisibilityTimeout?: number } = {}) => {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageSystemAttributeNames: ['All'],
    ...more,
  });
  return (await sqs.send(command)).Messages ?? [];
};
const bodies = async (QueueUrl: string) => (await receive(QueueUrl)).map(({ Body }) => Body);
const remove = (QueueUrl: string, ReceiptHandle: string | undefined) =>
  sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

test('a wait, a visibility time-out or a receipt handle that cannot be is refused', async () => {
  const refuses = (call: Promise<unknown>, name: string, message: RegExp) => assert.rejects(call, { name, message });
  await refuses(receive(plain, { WaitTimeSeconds: 21 }), 'InvalidParameterValue', /WaitTimeSeconds is invalid/);
  await refuses(receive(plain, { VisibilityTimeout: 43_201 }), 'InvalidParameterValue', /VisibilityTimeout is invalid/);
  await refuses(remove(plain, 'no handle'), 'ReceiptHandleIsInvalid', /"no handle"/);
});

test('a message that was sent is received with its attributes, once', async () => {
  await emptied();
  const MessageAttributes = {
    Colour: { DataType: 'String', StringValue: 'red' },
    Size: { DataType: 'Number', StringValue: '3' },
  };
  // The client checks the MD5 of body and attributes itself, and throws if they are wrong.
  const { MessageId } = await sqs.send(
    new SendMessageCommand({ QueueUrl: plain, MessageBody: 'käse', MessageAttributes }),
  );
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: plain,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  const [message] = Messages;
  assert.equal(message?.MessageId, MessageId);
  assert.equal(message?.Body, 'käse');
  assert.deepEqual(message?.MessageAttributes, MessageAttributes);
  assert.equal(message?.Attributes?.ApproximateReceiveCount, '1');
  assert.deepEqual(await bodies(plain), []);
});

test('a message that is not deleted comes back when its visibility time-out is over', async () => {
  await emptied();
  await send(plain, 'again');
  await receive(plain);
  sandbox.clock.advance(29);
  assert.deepEqual(await bodies(plain), []);
  sandbox.clock.advance(2);
  const [message] = await receive(plain);
  assert.equal(message?.Attributes?.ApproximateReceiveCount, '2');
  await remove(plain, message?.ReceiptHandle);
  sandbox.clock.advance(31);
  assert.deepEqual(await bodies(plain), []);
});

test('the visibility time-out of a message can be changed', async () => {
  await emptied();
  await send(plain, 'sooner');
  const [message] = await receive(plain);
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: plain,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: 0,
    }),
  );
  assert.deepEqual(await bodies(plain), ['sooner']);
});

test('a receive that waits is woken by a message', async () => {
  await emptied();
  const waiting = receive(plain, { WaitTimeSeconds: 20 });
  await send(plain, 'at last');
  assert.deepEqual(
    (await waiting).map(({ Body }) => Body),
    ['at last'],
  );
});

test('a receive that waits is woken by a visibility time-out that ends', async () => {
  await emptied();
  await send(plain, 'back');
  await receive(plain);
  const waiting = receive(plain, { WaitTimeSeconds: 20 });
  sandbox.clock.advance(31);
  assert.deepEqual(
    (await waiting).map(({ Body }) => Body),
    ['back'],
  );
});

test('a delayed message is not there before its time', async () => {
  await emptied();
  await send(plain, 'later', { DelaySeconds: 60 });
  assert.deepEqual(await bodies(plain), []);
  sandbox.clock.advance(61);
  assert.deepEqual(await bodies(plain), ['later']);
});

test('a FIFO group is received in order, and not while a batch of it is in flight', async () => {
  await emptied();
  for (const body of ['1', '2', '3']) await send(orders, body, { MessageGroupId: 'a' });
  const first = await receive(orders);
  assert.deepEqual(
    first.map(({ Body }) => Body),
    ['1', '2', '3'],
  );
  await send(orders, '4', { MessageGroupId: 'a' });
  await send(orders, 'other', { MessageGroupId: 'b' });
  assert.deepEqual(await bodies(orders), ['other']);
  for (const { ReceiptHandle } of first.slice(0, 2)) await remove(orders, ReceiptHandle);
  assert.deepEqual(await bodies(orders), [], 'one message of the group is still in flight');
  sandbox.clock.advance(31);
  assert.deepEqual(
    (await bodies(orders)).filter((body) => body !== 'other'),
    ['3', '4'],
  );
});

test('a group stays closed while a later message of it is in flight', async () => {
  await emptied();
  for (const body of ['1', '2']) await send(orders, body, { MessageGroupId: 'a' });
  const [first] = await receive(orders);
  const ReceiptHandle = first?.ReceiptHandle;
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: orders, ReceiptHandle, VisibilityTimeout: 0 }));
  assert.deepEqual(await bodies(orders), []);
  sandbox.clock.advance(31);
  assert.deepEqual(await bodies(orders), ['1', '2']);
});

test('the same body is dropped for five minutes where deduplication is by content', async () => {
  await emptied();
  const first = await send(orders, 'same', { MessageGroupId: 'a' });
  const second = await send(orders, 'same', { MessageGroupId: 'b' });
  assert.equal(second.MessageId, first.MessageId);
  assert.equal(second.SequenceNumber, first.SequenceNumber);
  const [only, ...more] = await receive(orders);
  assert.equal(more.length, 0);
  await remove(orders, only?.ReceiptHandle);
  await send(orders, 'same', { MessageGroupId: 'a' });
  assert.deepEqual(await bodies(orders), [], 'deleted messages count too');
  sandbox.clock.advance(301);
  await send(orders, 'same', { MessageGroupId: 'a' });
  assert.deepEqual(await bodies(orders), ['same']);
});

test('an explicit deduplication id wins over the content', async () => {
  await emptied();
  await send(orders, 'same', { MessageGroupId: 'a', MessageDeduplicationId: '1' });
  await send(orders, 'same', { MessageGroupId: 'a', MessageDeduplicationId: '2' });
  assert.deepEqual(await bodies(orders), ['same', 'same']);
});

test('a FIFO queue refuses a message without group or without deduplication', async () => {
  await assert.rejects(send(orders, 'x'), { name: 'MissingParameter' });
  await assert.rejects(send(grouped, 'x', { MessageGroupId: 'a' }), { name: 'InvalidParameterValue' });
});

test('a message received too often goes to the dead-letter queue, and its group goes on', async () => {
  await emptied();
  const { MessageId } = await send(grouped, 'bad', { MessageGroupId: 'a', MessageDeduplicationId: 'bad' });
  await send(grouped, 'good', { MessageGroupId: 'a', MessageDeduplicationId: 'good' });
  for (let attempt = 0; attempt < 2; attempt++) {
    assert.deepEqual(
      (await receive(grouped)).map(({ Body }) => Body),
      ['bad', 'good'],
    );
    sandbox.clock.advance(31);
  }
  assert.deepEqual(await bodies(grouped), [], 'both were received twice');
  const buried = await receive(url('GroupedDeadLetterQueue.fifo'));
  assert.deepEqual(
    buried.map(({ Body }) => Body),
    ['bad', 'good'],
  );
  assert.equal(buried[0]?.MessageId, MessageId);
});

test('a batch answers for each of its entries', async () => {
  await emptied();
  const Entries = [
    { Id: 'one', MessageBody: '1', MessageGroupId: 'a' },
    { Id: 'two', MessageBody: '2' },
  ];
  const { Successful, Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: orders, Entries }));
  assert.deepEqual(
    Successful?.map(({ Id }) => Id),
    ['one'],
  );
  assert.deepEqual(
    Failed?.map(({ Id, Code }) => [Id, Code]),
    [['two', 'MissingParameter']],
  );
  const [message] = await receive(orders);
  const removal = [{ Id: 'one', ReceiptHandle: message?.ReceiptHandle ?? '' }];
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: orders, Entries: removal }));
  sandbox.clock.advance(31);
  assert.deepEqual(await bodies(orders), []);
});

test('a batch of more than ten entries is refused', async () => {
  const Entries = Array.from({ length: 11 }, (_, index) => ({ Id: String(index), MessageBody: 'x' }));
  await assert.rejects(
    sqs.send(new SendMessageBatchCommand({ QueueUrl: plain, Entries })),
    /TooManyEntriesInBatchRequest|Maximum number of entries/,
  );
});

test('the attributes of a queue tell what it was made with and what is in it', async () => {
  await emptied();
  await send(orders, '1', { MessageGroupId: 'a' });
  await send(orders, '2', { MessageGroupId: 'b' });
  await sqs.send(new ReceiveMessageCommand({ QueueUrl: orders, MaxNumberOfMessages: 1 }));
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: orders, AttributeNames: ['All'] }),
  );
  assert.equal(Attributes.ApproximateNumberOfMessages, '1');
  assert.equal(Attributes.ApproximateNumberOfMessagesNotVisible, '1');
  assert.equal(Attributes.ContentBasedDeduplication, 'true');
  assert.deepEqual(JSON.parse(Attributes.RedrivePolicy ?? ''), {
    deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:123456789012:fixture-orders-dead.fifo',
    maxReceiveCount: 2,
  });
});

test('a queue is found by its name, and one that does not exist is not', async () => {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'fixture-PlainQueue' }));
  assert.equal(QueueUrl, plain);
  await assert.rejects(sqs.send(new GetQueueUrlCommand({ QueueName: 'nobody' })), { name: 'QueueDoesNotExist' });
});
