/** What of a picture is not as it should be, and how `leaseway status` ends for it. */
import { type PlanJson, stepCount } from '../shared/domain/render-plan.ts';
import { counted } from '../shared/domain/render-plan-text.ts';
import { planWarnings } from '../shared/domain/render-plan-warnings.ts';
import { retiredTablesOf } from '../shared/domain/retired.ts';
import { exit } from './exit.ts';
import type { Picture } from './picture.ts';
import { planExit } from './plan-exit.ts';

/** One line each; none: all is well. */
export function problemsOf(picture: Picture): readonly string[] {
  const { plan, remarks } = picture;
  const changes = stepCount(plan);
  const pending = changes === 0 ? [] : [`${counted(changes, 'change')} pending: leaseway plan`];
  return [...planWarnings(withoutGivenUp(picture)), ...remarks, ...pending];
}

/** As a plan ends; and what no sync can put right counts as much as what is pending. */
export function statusExit(picture: Picture): number {
  const code = planExit(picture.plan, retiredTablesOf(picture.config));
  return code === exit.ok && problemsOf(picture).length > 0 ? exit.pending : code;
}

/** A table that was given up may be gone. */
function withoutGivenUp({ plan, config }: Picture): PlanJson {
  const givenUp = retiredTablesOf(config);
  const tables = Object.entries(plan.tables).filter(([id, { status }]) => status === 'ok' || !givenUp.includes(id));
  return { ...plan, tables: Object.fromEntries(tables) };
}
