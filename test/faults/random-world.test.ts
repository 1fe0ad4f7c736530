/**
 * Random worlds through the whole product: leases join, leave and move by claims and EC2's events, other people write
 * rows, calls of every kind fail, processes die, events come twice and out of order, readings are late. After every
 * single write at EC2 other people's rows must be as they were and nothing wanted may be gone; at the end, when everybody
 * keeps still, the tables are right and a second run writes nothing.
 *
 * `LEASEWAY_SEED` chooses the first seed: that of a failure is the first world that is told then.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storyOf } from './random-changes.ts';
import { RandomWorld } from './random-world.ts';
import { Stage } from './stage.ts';

const first = Number(process.env['LEASEWAY_SEED'] ?? 1);
const seedsEach = 50;

const sandboxes: readonly (readonly [string, object])[] = [
  ['plain routes', {}],
  ['with a fallback', { Fallback: { Type: 'vxlan', VNI: 1, Port: 8472, DirectRouting: true } }],
  ['plain routes again', {}],
  ['with host-gw as the fallback', { Fallback: { Type: 'host-gw' } }],
];

describe('random worlds', { concurrency: 2 }, () => {
  for (const [at, [name, backend]] of sandboxes.entries()) {
    const seeds = Array.from({ length: seedsEach }, (_, index) => first + at * seedsEach + index);
    test(`${name}: seeds ${seeds[0]} to ${seeds.at(-1)}`, async (t) => {
      const world = new RandomWorld(await Stage.start(t, { nodes: 0, backend }));
      for (const seed of seeds) {
        const story = storyOf(seed);
        try {
          await world.tell(story);
        } catch (cause) {
          const told = story.changes.map((change) => JSON.stringify(change)).join('\n');
          throw new Error(`seed ${seed}${story.twice ? ', all delivered twice' : ''}:\n${told}\n${cause}`, { cause });
        }
      }
      assert.ok(world.watch.writes > seeds.length, 'the worlds do move');
    });
  }
});
