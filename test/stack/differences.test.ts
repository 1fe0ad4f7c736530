import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { differences } from './differences.ts';
import { checkout } from './third-parties.ts';

/** Rows of the document's table of differences, by their ids. */
const rows = new Map(
  [...readFileSync(`${checkout}docs/third-parties.md`, 'utf8').matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(
    ([, id = '', rest = '']) => [id, rest.split(' | ')],
  ),
);

test('the document lists the differences that the tests know, and no other', () => {
  const rightOf = { we: 'ours', they: 'theirs', both: 'both', open: 'open' };
  const wanted = differences.map(({ id, they, we, right, why }) => [id, [they, we, rightOf[right], why]] as const);
  assert.deepEqual([...rows], wanted);
});

test('every difference has a name of its own and a reason', () => {
  assert.equal(new Set(differences.map(({ id }) => id)).size, differences.length);
  for (const { id, why } of differences) assert.ok(why.length > 20, id);
});
