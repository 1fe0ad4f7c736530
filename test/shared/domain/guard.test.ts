import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exceedsBound, type GuardInput, guard } from '../../../shared/domain/guard.ts';
import type { Evidence, Step } from '../../../shared/domain/plan.ts';

const options = { describe: (row: string) => row, force: null };

function table(id: string, ours: number, weak: number, strong = 0): GuardInput<string> {
  const deletion = (evidence: Evidence) => (at: number) =>
    ({ action: 'delete', row: `${evidence}-${at}`, reason: 'orphan', evidence }) as const;
  const steps: Step<string>[] = [
    { action: 'create', row: 'new', reason: 'missing' },
    ...Array.from({ length: weak }, (_, at) => deletion('weak')(at)),
    ...Array.from({ length: strong }, (_, at) => deletion('strong')(at)),
  ];
  return { id, plan: { steps, kept: [], conflicts: [] }, ours };
}

test('more than two weak deletions that are more than a third of our rows are held', () => {
  const cases: [weak: number, ours: number, held: boolean][] = [
    [0, 0, false],
    [1, 1, false],
    [2, 2, false],
    [3, 3, true],
    [3, 8, true],
    [3, 9, false],
    [4, 9, true],
    [33, 100, false],
    [34, 100, true],
  ];
  for (const [weak, ours, held] of cases) assert.equal(exceedsBound(weak, ours), held, `${weak} of ${ours}`);
});

test('everything but the weak deletions goes on, also in the table that is held', () => {
  const verdict = guard([table('rtb-1', 6, 4, 2), table('rtb-2', 6, 1)], options);
  assert.equal(verdict.refused, true);
  assert.deepEqual(
    verdict.tables.map(({ id, plan, held }) => [id, plan.steps.length, held.length]),
    [
      ['rtb-1', 3, 4],
      ['rtb-2', 2, 0],
    ],
  );
});

test('strong deletions pass in any number', () => {
  assert.equal(guard([table('rtb-1', 90, 0, 90)], options).refused, false);
});

test('the digest lets through what was shown and nothing else', () => {
  const world = [table('rtb-1', 6, 4)];
  const { digest } = guard(world, options);
  assert.ok(digest);
  const forced = guard(world, { ...options, force: digest });
  assert.equal(forced.refused, false);
  assert.equal(forced.tables[0]?.plan.steps.length, 5);
  const grown = guard([table('rtb-1', 6, 5)], { ...options, force: digest });
  assert.equal(grown.refused, true);
  assert.notEqual(grown.digest, digest);
});

test('what was let through once goes on, whatever is held beside it by now', () => {
  const { digest } = guard([table('rtb-1', 8, 8), table('rtb-2', 8, 8)], options);
  const { forced } = guard([table('rtb-1', 8, 8), table('rtb-2', 8, 8)], { ...options, force: digest });
  assert.equal(forced.length, 16);
  // rtb-1 is half done, rtb-2 has come to have one more.
  const later = [table('rtb-1', 4, 4), table('rtb-2', 9, 9)];
  const verdict = guard(later, { ...options, force: digest, forced });
  assert.deepEqual(
    verdict.tables.map(({ plan, held }) => [plan.steps.length, held.map((step) => step.row)]),
    [
      [5, []],
      [9, ['weak-8']],
    ],
  );
  assert.equal(verdict.refused, true);
  assert.equal(verdict.forced.length, 12);
  const rest = guard([table('rtb-1', 4, 4)], { ...options, force: digest, forced });
  assert.deepEqual([rest.refused, rest.forced.length], [false, 4]);
});

test('distrusted leases hold even one weak deletion', () => {
  assert.equal(guard([table('rtb-1', 50, 1)], { ...options, distrust: true }).refused, true);
  assert.equal(guard([table('rtb-1', 50, 0, 9)], { ...options, distrust: true }).refused, false);
});

test('no step is lost: what is not held is in the plan, in its order', () => {
  const tables = fc.array(fc.tuple(fc.nat(40), fc.nat(20), fc.nat(20)), { maxLength: 4 });
  fc.assert(
    fc.property(tables, (list) => {
      const inputs = list.map(([ours, weak, strong], at) => table(`rtb-${at}`, ours, weak, strong));
      const verdict = guard(inputs, options);
      inputs.forEach((input, at) => {
        const guarded = verdict.tables[at];
        assert.ok(guarded);
        const rest = input.plan.steps.filter((step) => !guarded.held.some((held) => held === step));
        assert.deepEqual(guarded.plan.steps, rest);
        assert.ok(guarded.held.every((step) => step.evidence === 'weak'));
      });
    }),
  );
});
