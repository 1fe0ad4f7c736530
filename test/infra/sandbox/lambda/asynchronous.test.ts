import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox();
const { events, lambda } = clients(sandbox);
const worker = sandbox.lambda.pool('fixture-worker');
const failures = sandbox.sqs.queues.find(({ model }) => model.logicalId === 'FailuresQueue');

const hand = (event: unknown) =>
  lambda.send(
    new InvokeCommand({ FunctionName: 'fixture-worker', InvocationType: 'Event', Payload: JSON.stringify(event) }),
  );

test('an asynchronous invocation is accepted before it runs', async () => {
  const before = worker.invocations;
  const { StatusCode } = await hand({ order: 'echo' });
  assert.equal(StatusCode, 202);
  await sandbox.idle();
  assert.equal(worker.invocations, before + 1);
  assert.equal(failures?.messages.length, 0);
});

test('one that fails is repeated and then recorded at the on-failure destination', async () => {
  const before = worker.invocations;
  await hand({ order: 'fail', message: 'never' });
  await sandbox.idle();
  assert.equal(worker.invocations, before + 2, 'once and MaximumRetryAttempts: 1');
  const [message, ...more] = failures?.messages ?? [];
  assert.equal(more.length, 0);
  const record = JSON.parse(message?.body ?? '');
  assert.equal(record.requestContext.condition, 'RetriesExhausted');
  assert.equal(record.requestContext.approximateInvokeCount, 2);
  assert.deepEqual(record.requestPayload, { order: 'fail', message: 'never' });
  assert.equal(record.responsePayload.errorMessage, 'never');
  failures?.purge();
});

test('a process that dies counts as a failure', async () => {
  await hand({ order: 'exit' });
  await sandbox.idle();
  assert.match(JSON.parse(failures?.messages[0]?.body ?? '').responsePayload.errorMessage, /Runtime exited/);
  failures?.purge();
});

test('an event that matches a rule reaches the function whole', async () => {
  const before = worker.invocations;
  await events.send(new PutEventsCommand({ Entries: [{ Source: 'tests', DetailType: 'Wish', Detail: '{"n":1}' }] }));
  await sandbox.idle();
  assert.equal(worker.invocations, before + 1);
});

test('repetitions wait by the clock of the sandbox', async () => {
  const slow = await fixtureSandbox({ asyncRetrySeconds: [60, 120] });
  const pool = slow.lambda.pool('fixture-worker');
  const queue = slow.sqs.queues.find(({ model }) => model.logicalId === 'FailuresQueue');
  await clients(slow).lambda.send(
    new InvokeCommand({ FunctionName: 'fixture-worker', InvocationType: 'Event', Payload: '{"order":"fail"}' }),
  );
  while (pool.errors < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await assert.rejects(slow.idle(50), /asynchronous event of Worker/);
  slow.clock.advance(61);
  await slow.idle();
  assert.equal(pool.errors, 2);
  assert.equal(queue?.messages.length, 1);
});

test('a schedule runs now when it is told to, and its constant input is what the function gets', async () => {
  const before = worker.invocations;
  await control(sandbox, 'POST', 'schedules/WorkerTick?wait=true');
  assert.equal(worker.invocations, before + 1);
  while (!worker.log.some((line) => line.includes('"tick":true')))
    await new Promise((resolve) => setTimeout(resolve, 5));
  await assert.rejects(control(sandbox, 'POST', 'schedules/Nothing'), /There is no schedule Nothing, only WorkerTick/);
});

test('a jump of the clock over many runs of a schedule runs it once, when schedules are automatic', async () => {
  const automatic = await fixtureSandbox({ schedules: 'auto' });
  const pool = automatic.lambda.pool('fixture-worker');
  automatic.clock.advance(600);
  await automatic.idle();
  assert.equal(pool.invocations, 1);
  automatic.clock.advance(30);
  await automatic.idle();
  assert.equal(pool.invocations, 1);
  automatic.clock.advance(31);
  await automatic.idle();
  assert.equal(pool.invocations, 2);
});

test('schedules do not run by themselves when they are manual', async () => {
  const before = worker.invocations;
  sandbox.clock.advance(600);
  await sandbox.idle();
  assert.equal(worker.invocations, before);
});
