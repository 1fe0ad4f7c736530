import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { differences } from './differences.ts';
import { checkout } from './third-parties.ts';

const document = readFileSync(`${checkout}docs/third-parties.md`, 'utf8');

/** Rows of the document's table of differences, by their ids. */
const rows = new Map(
  [...document.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, id = '', rest = '']) => [id, rest.split(' | ')]),
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

test('a case that shows a difference is a case of the tests', () => {
  const cwd = `${checkout}test`;
  const tests = globSync('{contract,stack}/*.ts', { cwd }).map((file) => readFileSync(`${cwd}/${file}`, 'utf8'));
  for (const { id, case: title } of differences) {
    if (title !== null)
      assert.ok(
        tests.some((text) => text.includes(`'${title}'`)),
        `${id}: ${title}`,
      );
  }
});

test('the document names the versions that are installed', () => {
  const list = readFileSync(`${checkout}test/stack/requirements.txt`, 'utf8');
  const pinned = (name: string) => new RegExp(`^${name}(?:\\[\\w+\\])?==(.+)$`, 'm').exec(list)?.[1];
  assert.match(document, new RegExp(`The list is of moto ${pinned('moto')} and MiniStack ${pinned('ministack')}\\.`));
});
