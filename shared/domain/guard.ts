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
  /** Names exactly this set of held deletions, or of those that `force` let through; null when there are none. */
  readonly digest: string | null;
  /** Deletions that would be held and were let through, as `<table> <row>`: what a later pass may go on with. */
  readonly forced: readonly string[];
  readonly tables: readonly Guarded<Row>[];
}

export interface GuardOptions<Row> {
  describe(row: Row): string;
  /** The digest of what an operator was shown and lets through. */
  readonly force: string | null;
  /** What an earlier pass of the same force let through: these go on, whatever is held beside them by now. */
  readonly forced?: readonly string[];
  /** Hold every weak deletion: the leases are known to be older than what was last seen. */
  readonly distrust?: boolean;
}

export function exceedsBound(weak: number, ours: number): boolean {
  return weak > alwaysAllowed && weak * share > ours;
}

export function guard<Row>(inputs: readonly GuardInput<Row>[], options: GuardOptions<Row>): GuardVerdict<Row> {
  const held = inputs.map((input) => heldIn(input, options.distrust === true));
  const textOf = (id: string, step: DeleteStep<Row>) => `${id} ${options.describe(step.row)}`;
  const texts = inputs.flatMap(({ id }, at) => (held[at] ?? []).map((step) => textOf(id, step))).sort();
  if (texts.length === 0) return { refused: false, digest: null, forced: [], tables: inputs.map(withoutHeld) };
  const shown = options.force === digestOf(texts.join('\n')) ? texts : (options.forced ?? []);
  const passes = new Set(shown);
  const tables = inputs.map((input, at): Guarded<Row> => {
    const kept = (held[at] ?? []).filter((step) => !passes.has(textOf(input.id, step)));
    const waits = new Set<Step<Row>>(kept);
    return {
      ...input,
      plan: { ...input.plan, steps: input.plan.steps.filter((step) => !waits.has(step)) },
      held: kept,
    };
  });
  const forced = texts.filter((text) => passes.has(text));
  const left = texts.filter((text) => !passes.has(text));
  const digest = digestOf((left.length > 0 ? left : forced).join('\n'));
  return { refused: left.length > 0, digest, forced, tables };
}

function heldIn<Row>({ plan, ours }: GuardInput<Row>, distrust: boolean): DeleteStep<Row>[] {
  const weak = plan.steps.filter(isWeak);
  return (distrust ? weak.length > 0 : exceedsBound(weak.length, ours)) ? weak : [];
}

function withoutHeld<Row>(input: GuardInput<Row>): Guarded<Row> {
  return { ...input, held: [] };
}

function isWeak<Row>(step: Step<Row>): step is DeleteStep<Row> {
  return step.action === 'delete' && step.evidence === 'weak';
}
