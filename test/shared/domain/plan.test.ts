import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Plan, plan, type RowKind } from '../../../shared/domain/plan.ts';

/** A table of letters: the smallest kind of table that shows every case. */
interface Letter {
  readonly key: string;
  readonly value: number;
  readonly ours: boolean;
}

const letters: RowKind<Letter> = {
  key: (row) => row.key,
  same: (a, b) => a.value === b.value,
  isOurs: (row) => row.ours,
  describe: (row) => `${row.key}${row.value}`,
  compare: (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.value - b.value || Number(a.ours) - Number(b.ours)),
  whyReplace: () => 'changed',
  whyDelete: () => ({ reason: 'orphan', evidence: 'weak' }),
};

const mine = (key: string, value = 1): Letter => ({ key, value, ours: true });
const theirs = (key: string, value = 1): Letter => ({ key, value, ours: false });

function text({ steps, kept, conflicts }: Plan<Letter>): string {
  const shown = steps.map((step) =>
    step.action === 'replace'
      ? `~${letters.describe(step.from)}>${step.to.value}`
      : `${step.action === 'create' ? '+' : '-'}${letters.describe(step.row)}`,
  );
  return [...shown, ...kept.map((row) => `=${row.key}`), ...conflicts.map(({ holder }) => `!${holder.key}`)].join(' ');
}

test('each row of the truth table gives its step', () => {
  const cases: [string, Letter[], Letter[], string][] = [
    ['wanted and absent', [mine('a')], [], '+a1'],
    ['wanted and the same', [mine('a')], [mine('a')], '=a'],
    ['wanted and other', [mine('a', 2)], [mine('a', 1)], '~a1>2'],
    ['wanted and foreign', [mine('a')], [theirs('a')], '!a'],
    ['unwanted and ours', [], [mine('a')], '-a1'],
    ['unwanted and foreign', [], [theirs('a')], ''],
  ];
  for (const [name, desired, actual, expected] of cases) {
    assert.equal(text(plan(desired, actual, letters)), expected, name);
  }
});

test('repairs come first, then what is missing, then garbage', () => {
  const actual = [mine('a'), mine('c', 1), mine('d')];
  assert.equal(text(plan([mine('b'), mine('c', 2), mine('d')], actual, letters)), '~c1>2 +b1 -a1 =d');
});

const rows = fc.uniqueArray(
  fc.record({ key: fc.constantFrom(...'abcdefghij'), value: fc.nat(3), ours: fc.boolean() }, { noNullPrototype: true }),
  { selector: (row) => row.key },
);
const wanted = rows.map((list) => list.map((row) => ({ ...row, ours: true })));

/** What the table holds after the plan. */
function applied(actual: readonly Letter[], result: Plan<Letter>): Letter[] {
  const table = new Map(actual.map((row) => [row.key, row]));
  for (const step of result.steps) {
    if (step.action === 'delete') table.delete(step.row.key);
    else if (step.action === 'create') table.set(step.row.key, step.row);
    else table.set(step.to.key, step.to);
  }
  return [...table.values()];
}

test('applying a plan gives the desired rows, and planning again gives nothing', () => {
  fc.assert(
    fc.property(wanted, rows, (desired, actual) => {
      const first = plan(desired, actual, letters);
      const after = applied(actual, first);
      assert.deepEqual(plan(desired, after, letters).steps, []);
      const foreign = new Set(actual.filter((row) => !row.ours).map((row) => row.key));
      const expected = desired.filter((row) => !foreign.has(row.key));
      assert.deepEqual(after.filter((row) => row.ours).sort(letters.compare), [...expected].sort(letters.compare));
    }),
  );
});

test('foreign rows appear in no step and stay as they are', () => {
  fc.assert(
    fc.property(wanted, rows, (desired, actual) => {
      const foreign = actual.filter((row) => !row.ours);
      const result = plan(desired, actual, letters);
      for (const step of result.steps) {
        const key = step.action === 'replace' ? step.from.key : step.row.key;
        assert.ok(!foreign.some((row) => row.key === key), key);
      }
      const after = applied(actual, result);
      for (const row of foreign) assert.ok(after.includes(row));
    }),
  );
});

test('the order in which rows were read changes nothing', () => {
  fc.assert(
    fc.property(wanted, rows, fc.nat(), (desired, actual, turn) => {
      const turned = <T>(list: readonly T[]): T[] => {
        const at = list.length === 0 ? 0 : turn % list.length;
        return [...list.slice(at), ...list.slice(0, at)].reverse();
      };
      assert.equal(text(plan(turned(desired), turned(actual), letters)), text(plan(desired, actual, letters)));
    }),
  );
});
