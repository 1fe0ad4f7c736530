import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { burst, fullBucket, giveBack, take, throttled } from '../../../shared/domain/pacer.ts';

/** Times at which `count` calls may be made, each as early as the bucket allows. */
function times(count: number, start = 0, bucket = fullBucket(start)): number[] {
  const at: number[] = [];
  let now = start;
  let state = bucket;
  for (let call = 0; call < count; call += 1) {
    const taken = take(state, now);
    state = taken.bucket;
    now += taken.waitMs;
    at.push(now);
  }
  return at;
}

test('fifty calls at once, then five a second', () => {
  const at = times(60);
  assert.equal(at[49], 0);
  assert.deepEqual(at.slice(50, 55), [200, 400, 600, 800, 1000]);
});

test('E4: no window of any length holds more calls than the bucket allows', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3000), { minLength: 60, maxLength: 200 }), (pauses) => {
      let now = 0;
      let state = fullBucket(0);
      const at = pauses.map((pause) => {
        now += pause % 7 === 0 ? pause : 0;
        const taken = take(state, now);
        state = taken.bucket;
        now += taken.waitMs;
        return now;
      });
      for (let first = 0; first < at.length; first += 10) {
        for (let last = first; last < at.length; last += 10) {
          const seconds = ((at[last] ?? 0) - (at[first] ?? 0)) / 1000;
          assert.ok(last - first + 1 <= burst + 5 * seconds + 1, `${last - first + 1} calls in ${seconds} s`);
        }
      }
    }),
  );
});

test('a throttle empties the bucket and halves the rate for a minute', () => {
  const bucket = throttled(fullBucket(0), 0);
  assert.deepEqual(times(3, 0, bucket), [400, 800, 1200]);
  assert.deepEqual(times(2, 70_000, bucket), [70_000, 70_000]);
});

test('a token that is given back can be taken again', () => {
  const empty = throttled(fullBucket(0), 0);
  const { bucket } = take(empty, 0);
  assert.equal(take(giveBack(bucket), 0).waitMs, 400);
});
