import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../../../infra/sandbox/clock.ts';

test('an advance moves the time and tells its listeners the offset', () => {
  const clock = createClock();
  const told: number[] = [];
  const cancel = clock.onAdvance((offset) => told.push(offset));
  const before = clock.now();
  clock.advance(60);
  clock.advance(1);
  assert.ok(clock.now() - before >= 61_000);
  assert.equal(clock.offset(), 61_000);
  cancel();
  clock.advance(1);
  assert.deepEqual(told, [60_000, 61_000]);
  clock.stop();
});

test('an advance rings what it passes, in the order of their times, and nothing else', () => {
  const clock = createClock();
  const rung: string[] = [];
  const at = (seconds: number, name: string) => clock.at(clock.now() + seconds * 1000, () => rung.push(name));
  at(30, 'third');
  at(10, 'first');
  at(20, 'second');
  at(100, 'later');
  at(15, 'cancelled')();
  clock.advance(60);
  assert.deepEqual(rung, ['first', 'second', 'third']);
  clock.advance(60);
  assert.deepEqual(rung, ['first', 'second', 'third', 'later']);
  clock.stop();
});

test('an alarm also rings when its time simply comes', async () => {
  const clock = createClock();
  await new Promise<void>((resolve) => clock.at(clock.now() + 5, resolve));
  clock.stop();
});

test('a clock that is stopped rings nothing any more', () => {
  const clock = createClock();
  const ring = () => assert.fail('it rang');
  clock.at(clock.now() + 1000, ring);
  clock.stop();
  clock.at(clock.now() - 1000, ring);
  clock.advance(10);
});
