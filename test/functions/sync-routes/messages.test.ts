import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readMessages } from '../../../functions/sync-routes/messages.ts';

function sample(name: string): { Records: { body: string; attributes: { SentTimestamp: string } }[] } {
  return JSON.parse(readFileSync(new URL(`../../../infra/events/sync-queue/${name}.json`, import.meta.url), 'utf8'));
}

test('a batch of lease changes is one reason to look, as old as its earliest and as new as its newest', () => {
  const batch = sample('lease-change');
  const messages = readMessages(batch);
  const sent = batch.Records.map(({ attributes }) => Number(attributes.SentTimestamp));
  assert.equal(messages.newestSentAt, Math.max(...sent));
  const times = batch.Records.map(({ body }) => Date.parse((JSON.parse(body) as { time: string }).time));
  assert.equal(messages.earliestChange, Math.min(...times));
  assert.deepEqual(messages.unreadable, []);
});

test('the schedule and a continuation are understood', () => {
  assert.deepEqual(readMessages(sample('schedule')).unreadable, []);
  const { continued, earliestChange } = readMessages(sample('continuation'));
  assert.equal(continued?.pass, 2);
  assert.equal(earliestChange, null);
});

test('H8: what cannot be read is named and hides nothing of the rest', () => {
  const [good] = sample('lease-change').Records;
  assert.ok(good);
  const bodies = [
    'not JSON',
    '{}',
    '[]',
    '"text"',
    JSON.stringify({ source: 'aws.s3', 'detail-type': 'X', time: '2026-09-21T13:35:05Z', detail: {} }),
  ];
  const records = [...bodies.map((body) => ({ ...good, body })), { messageId: 'no body' }, null, good];
  const messages = readMessages({ Records: records });
  assert.equal(messages.unreadable.length, bodies.length + 2);
  assert.equal(messages.newestSentAt, Number(good.attributes.SentTimestamp));
  for (const { reason } of messages.unreadable) assert.ok(reason.length > 5);
});

test('an event that is no batch is a reject, not a crash', () => {
  for (const event of [null, {}, 'x', { Records: 'x' }]) {
    const messages = readMessages(event);
    assert.equal(messages.newestSentAt, null);
    assert.equal(messages.unreadable.length, 1);
  }
});
