import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox();
const { sqs } = clients(sandbox);
const taker = sandbox.lambda.pool('fixture-OrderTaker');
const queue = (logicalId: string) => {
  const found = sandbox.sqs.queues.find(({ model }) => model.logicalId === logicalId);
  assert.ok(found);
  return found;
};
const orders = queue('OrdersQueue');
const dead = queue('OrdersDeadLetterQueue');

const send = (body: string, group = 'a') =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: `${sandbox.url}/123456789012/fixture-orders.fifo`,
      MessageBody: body,
      MessageGroupId: group,
    }),
  );
/** The bodies of each batch the function was given, in order. */
async function batches() {
  const count = taker.invocations;
  const seen = () => taker.log.filter((line) => line.startsWith('{"saw"'));
  while (seen().length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return seen().map((line) => JSON.parse(line).saw.Records.map(({ body }: { body: string }) => body));
}
const settled = async () => {
  while (sandbox.activity.list().some((what) => what.startsWith('batch') || what.startsWith('invocation')))
    await new Promise((resolve) => setTimeout(resolve, 2));
};

beforeEach(async () => {
  await control(sandbox, 'POST', 'deliveries', { twice: false });
  sandbox.clock.advance(301);
  await settled();
  // What a function printed arrives after its answer.
  await batches();
  orders.purge();
  dead.purge();
  taker.log.length = 0;
  taker.invocations = 0;
});

test('what the function did is deleted', async () => {
  await send('one');
  await sandbox.idle();
  assert.deepEqual(await batches(), [['one']]);
  assert.equal(orders.messages.length, 0);
});

test('a group is never in two batches at once, and stays in order', async () => {
  for (const body of ['1', '2', '3', '4', '5']) await send(body);
  await sandbox.idle();
  assert.deepEqual((await batches()).flat(), ['1', '2', '3', '4', '5']);
  assert.equal(taker.processes, 1);
});

test('what the function reports as failed comes back after the visibility time-out, then is dead', async () => {
  await send('poison 1', 'p');
  await send('fine', 'q');
  await settled();
  assert.deepEqual(
    orders.messages.map(({ body }) => body),
    ['poison 1'],
  );
  sandbox.clock.advance(31);
  await settled();
  assert.equal(orders.messages.length, 1);
  sandbox.clock.advance(31);
  await sandbox.idle();
  assert.equal(orders.messages.length, 0);
  assert.deepEqual(
    dead.messages.map(({ body }) => body),
    ['poison 1'],
  );
});

test('a function that throws fails the whole batch', async () => {
  await send('poison-throw', 'p');
  await settled();
  assert.deepEqual(
    orders.messages.map(({ receiveCount }) => receiveCount),
    [1],
  );
  orders.purge();
  await sandbox.idle();
});

test('on request every batch is delivered twice', async () => {
  await control(sandbox, 'POST', 'deliveries', { twice: true });
  await send('again');
  await sandbox.idle();
  assert.deepEqual(await batches(), [['again'], ['again']]);
  assert.equal(orders.messages.length, 0);
});
