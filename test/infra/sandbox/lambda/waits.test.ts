import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

const hour = 3_600_000;

async function nap(waits: 'real' | 'skip', order: object) {
  const sandbox = await fixtureSandbox({ waits });
  const before = sandbox.clock.offset();
  const { Payload, FunctionError } = await clients(sandbox).lambda.send(
    new InvokeCommand({
      FunctionName: 'fixture-worker',
      Payload: Buffer.from(JSON.stringify({ order: 'nap', ...order })),
    }),
  );
  const answer = JSON.parse(Buffer.from(Payload ?? []).toString());
  return { answer, FunctionError, moved: sandbox.clock.offset() - before, now: sandbox.clock.now() };
}

test('sleeps that are skipped move the clock of function and sandbox to the end of the longest', async () => {
  // A function's time-out is twenty seconds of real time.
  const { answer, moved, now } = await nap('skip', { ms: [hour, 2 * hour, 0.5] });
  assert.deepEqual(answer.woken, [hour, 2 * hour, 0.5]);
  assert.ok(answer.slept >= 2 * hour && answer.slept < 3 * hour, String(answer.slept));
  assert.ok(moved > 2 * hour - 60_000 && moved < 3 * hour, String(moved));
  assert.ok(Number.isInteger(answer.now) && Number.isInteger(now), 'times stay whole');
});

test('real sleeps leave the clock alone', async () => {
  const { answer, moved } = await nap('real', { ms: [5] });
  assert.deepEqual(answer.woken, [5]);
  assert.equal(moved, 0);
});
