import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn } from '../../../shared/reconcile/turn.ts';
import { FakeClock } from '../../fakes/reconcile/clock.ts';
import { FakeLock } from '../../fakes/reconcile/lock.ts';

test('work is done in turn, and the turn is given back also when it fails', async () => {
  const [lock, clock] = [new FakeLock(), new FakeClock()];
  const end = clock.now() + 100_000;
  assert.deepEqual(await inTurn({ holder: 'a', end }, lock, clock, async () => 7), { result: 7, unreleased: null });
  await assert.rejects(
    inTurn({ holder: 'b', end }, lock, clock, async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  assert.deepEqual(await inTurn({ holder: 'c', end }, lock, clock, async () => 8), { result: 8, unreleased: null });
});

test('whoever waits twenty seconds in vain gives up without doing anything', async () => {
  const [lock, clock] = [new FakeLock(), new FakeClock()];
  await lock.tryTake('somebody', clock.now(), clock.now() + 600_000);
  const begun = clock.now();
  const turn = await inTurn({ holder: 'me', end: begun + 90_000 }, lock, clock, () => assert.fail('not my turn'));
  assert.equal(turn, null);
  assert.ok(clock.now() - begun <= 20_000);
});

test('a holder that was killed keeps nobody out for longer than its own time and half a minute', async () => {
  const [lock, clock] = [new FakeLock(), new FakeClock()];
  const end = clock.now() + 10_000;
  await lock.tryTake('killed', clock.now(), end + 30_000);
  clock.advance(25_000);
  assert.deepEqual(await inTurn({ holder: 'next', end: clock.now() + 90_000 }, lock, clock, async () => 'mine'), {
    result: 'mine',
    unreleased: null,
  });
});

test('what was done in a turn is told although the turn could not be given back', async () => {
  const [clock, trouble] = [new FakeClock(), new Error('timed out')];
  const lock = { tryTake: async () => true, release: () => Promise.reject(trouble) };
  const turn = await inTurn({ holder: 'a', end: clock.now() + 90_000 }, lock, clock, async () => 'events');
  assert.deepEqual(turn, { result: 'events', unreleased: trouble });
  const failing = inTurn({ holder: 'a', end: clock.now() + 90_000 }, lock, clock, async () => {
    throw new Error('the work itself');
  });
  await assert.rejects(failing, /the work itself/);
});
