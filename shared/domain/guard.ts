/**
 * The guard: a pure filter over plans that holds back deletions which a hole in what was read could explain.
 *
 * A lease table that is empty, half restored or wrongly read looks like a cluster that shrank. Released leases leave
 * tombstones, so a real scale-in carries strong evidence and passes, however large it is.
 */
import { digestOf } from './digest.ts';
import type { DeleteStep, Plan, Step } from './plan.ts';

/** Up to two weak deletions pass in any table: a small cluster must be able to shed a node. */
const alwaysAllowed = 2;
/** Beyond that a third of our rows is the bound. */
const share = 3;

export interface GuardInput<Row> {
  readonly id: string;
  readonly plan: Plan<Row>;
  /** How many of the table's rows are ours, before the plan. */
  readonly ours: number;
}

export interface Guarded<Row> {
  readonly id: string;
  readonly plan: Plan<Row>;
  readonly held: readonly DeleteStep<Row>[];
  readonly ours: number;
}

export interface GuardVerdict<Row> {
  readonly refused: boolean;
  /** Names exactly this set of held deletions; null when nothing is held. */
  readonly digest: string | null;
  readonly tables: readonly Guarded<Row>[];
}

export interface GuardOptions<Row> {
  describe(row: Row): string;
  /** The digest of what an operator was shown and lets through. */
  readonly force: string | null;
  /** Hold every weak deletion: the leases are known to be older than what was last seen. */
  readonly distrust?: boolean;
}

export function exceedsBound(weak: number, ours: number): boolean {
  return weak > alwaysAllowed && weak * share > ours;
}

export function guard<Row>(inputs: readonly GuardInput<Row>[], options: GuardOptions<Row>): GuardVerdict<Row> {
  const tables = inputs.map((input): Guarded<Row> => {
    const weak = input.plan.steps.filter(isWeak);
    const hold = options.distrust === true ? weak.length > 0 : exceedsBound(weak.length, input.ours);
    if (!hold) return { ...input, held: [] };
    return { ...input, plan: { ...input.plan, steps: input.plan.steps.filter((step) => !isWeak(step)) }, held: weak };
  });
  const held = tables.flatMap((table) => table.held.map((step) => `${table.id} ${options.describe(step.row)}`));
  if (held.length === 0) return { refused: false, digest: null, tables };
  const digest = digestOf(held.sort().join('\n'));
  if (options.force === digest)
    return { refused: false, digest, tables: inputs.map((input) => ({ ...input, held: [] })) };
  return { refused: true, digest, tables };
}

function isWeak<Row>(step: Step<Row>): step is DeleteStep<Row> {
  return step.action === 'delete' && step.evidence === 'weak';
}
