/**
 * Each story reads today as it did when somebody last agreed to it. After a change that is meant:
 * `LEASEWAY_GOLDEN=write node --test test/golden/golden.test.ts`, and read the difference.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { stories } from './stories.ts';

const folder = new URL('./', import.meta.url);
const isWriting = process.env['LEASEWAY_GOLDEN'] === 'write';

for (const [name, story] of Object.entries(stories)) {
  test(`the story ${name} is told as agreed`, () => {
    const file = new URL(`${name}.txt`, folder);
    const text = story();
    if (isWriting) writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'));
  });
}

test('every text belongs to a story', () => {
  const texts = readdirSync(folder).filter((file) => file.endsWith('.txt'));
  assert.deepEqual(
    texts.sort(),
    Object.keys(stories)
      .map((name) => `${name}.txt`)
      .sort(),
  );
});
