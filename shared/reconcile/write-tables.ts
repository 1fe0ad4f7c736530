/** Carries out the steps of all tables, side by side: one failing table stops no other. */
import { rangesOf } from '../domain/retired.ts';
import type { Pace } from './pace.ts';
import type { PassInput } from './pass-input.ts';
import { reconcile, type StepOutcome } from './reconcile.ts';
import type { Sorted } from './table-pass.ts';
import { mayWrite } from './table-pass.ts';

export interface Written {
  /** By table id; no entry for a table that was not to be written. */
  readonly outcomes: ReadonlyMap<string, readonly StepOutcome[]>;
  /** Leases moved since they were read, so that nothing was deleted: the plan must be made anew. */
  readonly moved: boolean;
}

export async function writeTables(
  { request, deps, picture, plan, before }: PassInput,
  sorted: ReadonlyMap<string, Sorted>,
  pace: Pace,
): Promise<Written> {
  const outcomes = new Map<string, readonly StepOutcome[]>();
  if (picture.config.mode !== 'enforce') return { outcomes, moved: false };
  let moved = false;
  let asked: Promise<boolean> | null = null;
  // Once for all tables, and only if something is to be deleted.
  const mayDelete = () => {
    asked ??= deps.leases.readCounter().then((counter) => {
      moved = counter !== picture.leases.counter;
      return !moved;
    });
    return asked;
  };
  const { clock, random, tables } = deps;
  const writeDeps = { tables, pace, clock, random, deadline: request.deadline, mayDelete };
  // Settled, not raced: no call may go on after the turn is given back.
  const ends = await Promise.allSettled(
    plan.tables
      .filter(({ id }) => mayWrite(id, request, before, clock.now()))
      .map(async ({ id }) => {
        outcomes.set(id, await reconcile(id, sorted.get(id)?.tried ?? [], rangesOf(id, picture.config), writeDeps));
      }),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return { outcomes, moved };
}
