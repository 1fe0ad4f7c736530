/** Carries out one table's steps, in their order, and says what became of each. One failing row stops no other. */
import type { ManagedRange } from '../domain/ownership.ts';
import type { Step } from '../domain/plan.ts';
import type { Route } from '../domain/route.ts';
import { deniedAction } from './denied-actions.ts';
import type { WriteAction } from './ports.ts';
import { actionOf } from './report.ts';
import { type Outcome, type WriteDeps, writeRoute } from './write-route.ts';

export interface StepOutcome {
  readonly step: Step<Route>;
  readonly outcome: Outcome;
}

export interface ReconcileDeps extends WriteDeps {
  /** Asked before the first deletion: whether the leases are still those that the plan stands on. */
  readonly mayDelete: () => Promise<boolean>;
}

export async function reconcile(
  tableId: string,
  steps: readonly Step<Route>[],
  ranges: readonly ManagedRange[],
  deps: ReconcileDeps,
): Promise<readonly StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  const stopped = new Set<WriteAction>();
  for (const step of steps) {
    const outcome = await outcomeOf(step);
    outcomes.push({ step, outcome });
    if (outcome.status === 'failed') stopAfter(outcome);
    const denied = deniedAction({ step, outcome });
    if (denied !== null) stopped.add(denied);
  }
  return outcomes;

  async function outcomeOf(step: Step<Route>): Promise<Outcome> {
    if (stopped.has(actionOf[step.action])) return { status: 'left' };
    if (step.action === 'delete' && !(await deps.mayDelete())) return { status: 'left' };
    return writeRoute(tableId, step, ranges, deps);
  }

  /** Refusals that concern the table and not the row: asking again for the next row would only cost calls. */
  function stopAfter({ meaning }: Extract<Outcome, { status: 'failed' }>): void {
    const failed = outcomes.at(-1)?.step;
    if (failed === undefined) return;
    switch (meaning) {
      case 'full':
        stopped.add('CreateRoute');
        break;
      case 'denied':
        stopped.add(actionOf[failed.action]);
        break;
      case 'no-table':
      case 'throttled':
      case 'transient':
        for (const action of Object.values(actionOf)) stopped.add(action);
        break;
      case 'exists':
      case 'no-route':
      case 'no-target':
      case 'invalid':
      case 'conflict':
        break;
    }
  }
}
