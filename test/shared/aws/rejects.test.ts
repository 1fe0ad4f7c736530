import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { queueClient } from '../../../shared/aws/clients.ts';
import { sqsRejects } from '../../../shared/aws/rejects.ts';
import { Refusal } from '../../../shared/reconcile/ports.ts';
import { type Answer, json, jsonError, scriptedEndpoint } from './scripted-endpoint.ts';

const queueUrl = 'http://127.0.0.1/123456789012/rejects';

async function queue(t: TestContext, answer: Answer | null = null) {
  const messages: string[] = [];
  const { options } = await scriptedEndpoint(t, ({ body }) => {
    if (answer !== null) return answer;
    const message = String(body['MessageBody']);
    messages.push(message);
    // The client holds the answer against what it sent.
    return json({ MessageId: 'message', MD5OfMessageBody: createHash('md5').update(message).digest('hex') });
  });
  const client = queueClient(options);
  t.after(() => client.destroy());
  return { messages, rejects: sqsRejects({ client, queueUrl }) };
}

test('a reject goes to the queue with where it came from and why', async (t) => {
  const { messages, rejects } = await queue(t);
  await rejects.put({ source: 'sync-routes', reason: 'is no JSON', body: '{"a":' });
  assert.deepEqual(
    messages.map((message) => JSON.parse(message) as unknown),
    [{ source: 'sync-routes', reason: 'is no JSON', body: '{"a":' }],
  );
});

test('a body over the size is cut, and says from how much', async (t) => {
  const { messages, rejects } = await queue(t);
  // Letters whose JSON is one byte, two, and six each.
  for (const letter of ['x', '\u00e4', '\u0001']) {
    await rejects.put({ source: 's', reason: 'r'.repeat(100_000), body: letter.repeat(900_000) });
  }
  assert.equal(messages.length, 3);
  for (const message of messages) {
    assert.ok(Buffer.byteLength(message) <= 256 * 1024, `${Buffer.byteLength(message)} bytes`);
    assert.ok(Buffer.byteLength(message) >= 230 * 1024, `${Buffer.byteLength(message)} bytes`);
    assert.equal(JSON.parse(message).cutFrom, 900_000);
  }
});

test('letters that SQS refuses arrive all the same', async (t) => {
  const { messages, rejects } = await queue(t);
  const body = 'a\u0000b\ufffec\uffffd\ud800e';
  await rejects.put({ source: 's', reason: 'r', body });
  const [message = ''] = messages;
  // https://www.w3.org/TR/REC-xml/#charsets, as SendMessage documents it
  assert.ok(!/[^\t\n\r -\ud7ff\ue000-\ufffd]/.test(message));
  assert.equal(JSON.parse(message).body, body);
});

test('a queue that does not take it is an error', async (t) => {
  const { rejects } = await queue(t, jsonError('AccessDenied', 403));
  await assert.rejects(rejects.put({ source: 's', reason: 'r', body: 'b' }), (error) => error instanceof Refusal);
});
