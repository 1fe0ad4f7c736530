import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scheduleExpression } from '../../../../infra/sandbox/events/schedule-expression.ts';

const after = Date.parse('2026-03-10T10:15:30Z'); // a Tuesday

for (const [expression, wanted] of [
  ['rate(1 minute)', '2026-03-10T10:16:30.000Z'],
  ['rate(5 minutes)', '2026-03-10T10:20:30.000Z'],
  ['rate(2 hours)', '2026-03-10T12:15:30.000Z'],
  ['cron(0 12 * * ? *)', '2026-03-10T12:00:00.000Z'],
  ['cron(15 10 * * ? *)', '2026-03-11T10:15:00.000Z'],
  ['cron(0/20 * * * ? *)', '2026-03-10T10:20:00.000Z'],
  ['cron(0 8 ? * MON-FRI *)', '2026-03-11T08:00:00.000Z'],
  ['cron(0 8 ? * SUN *)', '2026-03-15T08:00:00.000Z'],
  ['cron(0 0 1 * ? *)', '2026-04-01T00:00:00.000Z'],
  ['cron(30 6 29 2 ? *)', '2028-02-29T06:30:00.000Z'],
  ['cron(0 0 1,20 JAN,MAR ? *)', '2026-03-20T00:00:00.000Z'],
] as const) {
  test(`${expression} runs next at ${wanted}`, () => {
    assert.equal(new Date(scheduleExpression(expression)(after)).toISOString(), wanted);
  });
}

for (const expression of [
  'rate(1 minutes)',
  'rate(2 minute)',
  'rate(0 minutes)',
  'every minute',
  'cron(* * * *)',
  'cron(61 * * * ? *)',
  'cron(0 0 L * ? *)',
]) {
  test(`${expression} is refused`, () => {
    assert.throws(() => scheduleExpression(expression), /is not understood/);
  });
}
