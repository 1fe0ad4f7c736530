/** `leaseway plan --world FILE`: the plan of a file, without AWS. */
import { type PlanJson, planJson } from '../shared/domain/render-plan.ts';
import { planText } from '../shared/domain/render-plan-text.ts';
import { planWarnings } from '../shared/domain/render-plan-warnings.ts';
import { retiredTablesOf } from '../shared/domain/retired.ts';
import { unmatchedForce } from '../shared/domain/unmatched-force.ts';
import { parseWorld } from '../shared/domain/world.ts';
import { planWorld } from '../shared/domain/world-plan.ts';
import { type Console, jsonText } from './console.ts';
import { planExit } from './plan-exit.ts';
import { readJson } from './read-file.ts';

export async function planFromFile(file: string, json: boolean, terminal: Console): Promise<number> {
  const world = parseWorld(await readJson(file, '--world', 'world', terminal));
  const planned = planWorld(world);
  const plan = planJson(planned, world.leases, world.config);
  await showPlan(plan, json, terminal);
  const { refused, digest, forced } = planned.guard;
  if (world.force !== null && forced.length === 0) {
    const held = refused ? digest : null;
    terminal.note(unmatchedForce({ option: 'options.force', force: world.force, digest: held }));
  }
  if (world.config.mode === 'observe') terminal.note('Mode is observe: a sync reports this plan and writes nothing');
  return planExit(plan, retiredTablesOf(world.config));
}

/**
 * The plan on standard output, what calls for somebody on standard error too, for whoever keeps the one and reads the
 * other. The text has all of it: on a terminal nothing is said twice.
 */
export async function showPlan(plan: PlanJson, json: boolean, terminal: Console): Promise<void> {
  terminal.print(json ? jsonText(plan) : planText(plan, await terminal.paint()));
  if (!json && terminal.isTerminal) return;
  for (const warning of planWarnings(plan)) terminal.note(warning);
}
