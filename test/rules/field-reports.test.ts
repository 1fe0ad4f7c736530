/** Every field report is a named test, and the document says where. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

const groups = {
  A: [1, 2, 3, 4, 5, 7, 9, 10, 12, 13, 14],
  B: [2, 3, 6, 7, 9, 11, 12, 13],
  C: [1, 5, 6, 7, 8, 9, 10, 11],
  D: [1, 2, 3, 8, 9, 10, 11],
  E: [1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14],
  F: [3, 7, 8, 9, 10],
  G: [2, 4, 7, 8, 10, 12, 13, 14],
  H: [2, 4, 7, 8, 10, 11],
  I: [2, 3, 5, 6, 7, 10, 12, 13],
  J: [1, 5, 8, 11, 12, 14, 15],
  K: [2, 4, 5, 6, 7],
  L: [2, 3, 5, 6, 7, 8],
  M: [3, 5, 6, 7, 8, 10],
  N: [1, 2, 3, 6, 7],
  P: [1, 2, 3, 4, 5, 6, 7, 8],
  Q: [1, 2, 3, 4, 5, 6],
  R: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  S: [1],
};
const reports = Object.entries(groups).flatMap(([group, numbers]) => numbers.map((number) => `${group}${number}`));

const mostExceptions = 5;

/** Ids that the names of a file's tests begin with. */
function namedIn(file: string): Set<string> {
  const source = readFileSync(join(root, file), 'utf8');
  const names = source.matchAll(/['"`]((?:[A-NP-S]\d+(?:, | |: ))+)/g);
  return new Set([...names].flatMap(([, ids = '']) => ids.match(/[A-NP-S]\d+/g) ?? []));
}

const page = readFileSync(join(root, 'docs/field-reports.md'), 'utf8');
const [tables = '', exceptions = ''] = page.split('## Not a test');
const places = [...tables.matchAll(/^\| ([A-NP-S]\d+) \| (.+) \| `([^`]+)` \|$/gm)].map(
  ([, id = '', text = '', file = '']) => ({
    id,
    text,
    file,
  }),
);
const excepted = [...exceptions.matchAll(/^- ([A-NP-S]\d+): \S.+/gm)].map(([, id = '']) => id);

test('every report is a named test, or one of at most five exceptions with a reason', () => {
  const files = globSync('test/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('test/rules/'));
  const named = new Set(files.flatMap((file) => [...namedIn(file)]));
  const missing = reports.filter((id) => !named.has(id) && !excepted.includes(id));
  assert.deepEqual(missing, []);
  assert.ok(excepted.length <= mostExceptions, `${excepted.length} exceptions`);
});

test('the document has each report once, and the test where it says', () => {
  const documented = places.map(({ id }) => id);
  assert.deepEqual(
    documented,
    reports.filter((id) => !excepted.includes(id)),
  );
  for (const { id, file } of places) {
    assert.ok(existsSync(join(root, file)), `${id}: there is no ${file}`);
    assert.ok(namedIn(file).has(id), `${id}: no test of ${file} begins with it`);
  }
});
