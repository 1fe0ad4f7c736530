/**
 * Actions that IAM does not allow on a table. It allows or refuses by action, so a table whose creates are refused goes on with
 * its repairs and deletions; the refused action alone rests, with a backoff of its own.
 */
import { retryAtAfter } from './backoff.ts';
import type { WriteAction } from './ports.ts';
import type { StepOutcome } from './reconcile.ts';
import { actionOf, type Failure } from './report.ts';
import type { TableState } from './sync-state.ts';

export interface Denial {
  /** Refused tries in a row. */
  readonly failures: number;
  /** Epoch milliseconds before which a pass of its own accord does not try. */
  readonly retryAt: number;
  readonly failure: Failure;
}

export type Denials = Readonly<Partial<Record<WriteAction, Denial>>>;

/** What rests now, by action. */
export function denialsNow({ denied }: TableState, now: number): Denials {
  return Object.fromEntries(Object.entries(denied).filter(([, { retryAt }]) => retryAt > now));
}

/** The action that was called in the end: a create of what is there is a replace. */
export function deniedAction({ step, outcome }: StepOutcome): WriteAction | null {
  if (outcome.status !== 'failed' || outcome.meaning !== 'denied') return null;
  const called = Object.values(actionOf).find((action) => action === outcome.failure.action);
  return called ?? actionOf[step.action];
}

/** An action that was tried and not refused is allowed again; one that was not tried, or not answered, rests on. */
export function denialsAfter(before: Denials, outcomes: readonly StepOutcome[], now: number): Denials {
  const after: Partial<Record<WriteAction, Denial>> = { ...before };
  const refused = new Set<WriteAction>();
  for (const each of outcomes) {
    const { step, outcome } = each;
    const denied = deniedAction(each);
    if (denied !== null && outcome.status === 'failed') {
      // The first refusal is the one that is told: the others of this pass were not asked.
      if (refused.has(denied)) continue;
      refused.add(denied);
      const failures = (before[denied]?.failures ?? 0) + 1;
      after[denied] = { failures, retryAt: retryAtAfter(failures, now), failure: outcome.failure };
    } else if (isAnswered(outcome) && !refused.has(actionOf[step.action])) {
      delete after[actionOf[step.action]];
    }
  }
  return after;
}

function isAnswered(outcome: StepOutcome['outcome']): boolean {
  if (outcome.status !== 'failed') return outcome.status === 'done';
  return outcome.meaning !== 'throttled' && outcome.meaning !== 'transient';
}
