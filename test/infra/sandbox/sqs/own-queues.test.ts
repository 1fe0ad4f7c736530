import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateQueueCommand,
  type CreateQueueCommandInput,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox({ functions: false });
const { sqs } = clients(sandbox);

type Attributes = NonNullable<CreateQueueCommandInput['Attributes']>;

const create = async (QueueName: string, Attributes?: Attributes) =>
  (await sqs.send(new CreateQueueCommand({ QueueName, ...(Attributes && { Attributes }) }))).QueueUrl ?? '';
const set = (QueueUrl: string, Attributes: Attributes) =>
  sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
const attributes = async (QueueUrl: string, ...AttributeNames: QueueAttributeName[]) =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes;
const bodies = async (QueueUrl: string) => {
  const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
  return ((await sqs.send(command)).Messages ?? []).map(({ Body }) => Body);
};
const deadLetters = (name: string, maxReceiveCount: number | string = 3) =>
  JSON.stringify({ deadLetterTargetArn: `arn:aws:sqs:eu-central-1:123456789012:${name}`, maxReceiveCount });

test('a queue that a call made is listed beside those of the stack, and takes messages', async () => {
  const QueueUrl = await create('watch');
  assert.equal(QueueUrl, `${sandbox.url}/123456789012/watch`);
  assert.equal((await sqs.send(new GetQueueUrlCommand({ QueueName: 'watch' }))).QueueUrl, QueueUrl);
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  assert.ok(QueueUrls.includes(QueueUrl));
  assert.ok(QueueUrls.some((url) => url.endsWith('/fixture-PlainQueue')));
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'seen' }));
  assert.deepEqual(await bodies(QueueUrl), ['seen']);
});

test('the queues come in pages when a page has a size', async () => {
  for (const name of ['page-a', 'page-b', 'page-c']) await create(name);
  const pageOf = (NextToken?: string) =>
    sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'page-', MaxResults: 2, ...(NextToken && { NextToken }) }));
  const first = await pageOf();
  const second = await pageOf(first.NextToken);
  assert.deepEqual(
    [first, second].map(({ QueueUrls = [] }) => QueueUrls.map((url) => url.split('/').at(-1))),
    [['page-a', 'page-b'], ['page-c']],
  );
  assert.equal(second.NextToken, undefined);
});

test('its attributes are those given, else the usual ones, and can be changed', async () => {
  const QueueUrl = await create('tuned', { VisibilityTimeout: '5', Policy: '{"Version":"2012-10-17","Statement":[]}' });
  const shown = await attributes(QueueUrl, 'All');
  assert.equal(shown?.['VisibilityTimeout'], '5');
  assert.equal(shown?.['MessageRetentionPeriod'], '345600');
  assert.equal(shown?.['QueueArn'], 'arn:aws:sqs:eu-central-1:123456789012:tuned');
  assert.deepEqual(JSON.parse(shown?.['Policy'] ?? ''), { Version: '2012-10-17', Statement: [] });
  await set(QueueUrl, { VisibilityTimeout: '0', DelaySeconds: '60' });
  assert.deepEqual(await attributes(QueueUrl, 'VisibilityTimeout', 'DelaySeconds'), {
    VisibilityTimeout: '0',
    DelaySeconds: '60',
  });
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'late' }));
  assert.deepEqual(await bodies(QueueUrl), []);
  sandbox.clock.advance(61);
  assert.deepEqual(await bodies(QueueUrl), ['late']);
});

test('a FIFO queue is made by its attribute and its name, and drops duplicates', async () => {
  const QueueUrl = await create('own.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
  const send = () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'once', MessageGroupId: 'g' }));
  assert.equal((await send()).SequenceNumber, (await send()).SequenceNumber);
  assert.deepEqual(await bodies(QueueUrl), ['once']);
  assert.equal((await attributes(QueueUrl, 'FifoQueue'))?.['FifoQueue'], 'true');
});

test('what is received too often goes to the dead-letter queue that a call named', async () => {
  const dead = await create('own-dead');
  const QueueUrl = await create('own-source', { VisibilityTimeout: '0', RedrivePolicy: deadLetters('own-dead', 1) });
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'unlucky' }));
  assert.deepEqual(await bodies(QueueUrl), ['unlucky']);
  assert.deepEqual(await bodies(QueueUrl), []);
  assert.deepEqual(await bodies(dead), ['unlucky']);
});

test('to create a queue again gives the same one, unless it shall be another', async () => {
  const QueueUrl = await create('twice', { VisibilityTimeout: '7' });
  assert.equal(await create('twice', { VisibilityTimeout: '7' }), QueueUrl);
  assert.equal(await create('twice'), QueueUrl);
  await assert.rejects(create('twice', { VisibilityTimeout: '8' }), {
    name: 'QueueNameExists',
    message: /a different value for attribute VisibilityTimeout/,
  });
});

test('a deleted queue is gone, and its name is free again a minute later', async () => {
  const QueueUrl = await create('short');
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  await assert.rejects(bodies(QueueUrl), { name: 'QueueDoesNotExist' });
  await assert.rejects(create('short'), { name: 'QueueDeletedRecently' });
  sandbox.clock.advance(60);
  assert.equal(await create('short'), QueueUrl);
});

test('tags are kept and shown', async () => {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'tagged', tags: { a: '1' } }));
  await sqs.send(new TagQueueCommand({ QueueUrl, Tags: { b: '2' } }));
  await sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['a'] }));
  assert.deepEqual((await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags, { b: '2' });
});

const fifo = { FifoQueue: 'true' };
const refused: readonly [string, string, Attributes, string, RegExp][] = [
  ['a name with a space', 'not good', {}, 'InvalidParameterValue', /alphanumeric characters/],
  ['a name that is too long', 'n'.repeat(81), {}, 'InvalidParameterValue', /1 to 80 in length/],
  ['a FIFO queue without .fifo', 'plain', fifo, 'InvalidParameterValue', /must end with \.fifo suffix/],
  ['.fifo without FifoQueue', 'x.fifo', {}, 'InvalidParameterValue', /alphanumeric characters/],
  ['FifoQueue that is false', 'plain', { FifoQueue: 'false' }, 'InvalidAttributeName', /Unknown Attribute FifoQueue/],
  ['deduplication without FIFO', 'plain', { ContentBasedDeduplication: 'true' }, 'InvalidAttributeName', /Content/],
  [
    'an unknown attribute',
    'plain',
    { Colour: 'red' } as Attributes,
    'InvalidAttributeName',
    /Unknown Attribute Colour/,
  ],
  ['a time beyond its bounds', 'plain', { VisibilityTimeout: '43201' }, 'InvalidAttributeValue', /VisibilityTimeout/],
  ['a delay that is no number', 'plain', { DelaySeconds: 'soon' }, 'InvalidAttributeValue', /DelaySeconds/],
  ['a policy that is no JSON', 'plain', { Policy: 'allow' }, 'InvalidAttributeValue', /Policy/],
  ['a redrive policy that is no map', 'plain', { RedrivePolicy: '7' }, 'InvalidParameterValue', /not a valid JSON map/],
  ['a lost dead-letter queue', 'plain', { RedrivePolicy: deadLetters('no') }, 'InvalidParameterValue', /not exist/],
  ['no receive at all', 'plain', { RedrivePolicy: deadLetters('no', 0) }, 'InvalidParameterValue', /1 to 1000/],
  [
    'a dead-letter queue of another kind',
    'a.fifo',
    { ...fifo, RedrivePolicy: deadLetters('fixture-PlainQueue') },
    'InvalidParameterValue',
    /same type/,
  ],
];

for (const [what, name, given, error, message] of refused) {
  test(`${what} is refused with ${error}, and makes no queue`, async () => {
    await assert.rejects(create(name, given), { name: error, message });
    await assert.rejects(sqs.send(new GetQueueUrlCommand({ QueueName: name })), { name: 'QueueDoesNotExist' });
  });
}

test('an attribute that no queue has cannot be read', async () => {
  const colour = 'Colour' as QueueAttributeName;
  await assert.rejects(attributes(await create('asked'), colour), { name: 'InvalidAttributeName' });
});
