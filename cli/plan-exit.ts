/** How a plan ends, in the order of precedence: an error, refused by the guard, changes pending, nothing to do. */
import { type PlanJson, stepCount } from '../shared/domain/render-plan.ts';
import { exit } from './exit.ts';

/** `given up` tables may be gone: they are as empty as can be. */
export function planExit(plan: PlanJson, givenUp: readonly string[]): number {
  const isMissing = ([id, table]: [string, { status: string }]) => table.status === 'missing' && !givenUp.includes(id);
  if (Object.entries(plan.tables).some(isMissing)) return exit.error;
  if (plan.guard.refused) return exit.refused;
  return stepCount(plan) > 0 ? exit.pending : exit.ok;
}
