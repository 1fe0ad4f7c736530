/** `leaseway plan` of the deployed stack: a resync that writes nothing. */
import type { Console } from './console.ts';
import { showPlan } from './plan-world.ts';
import { planOf, reportExit, resyncPasses } from './resync-passes.ts';
import { stackNamed } from './stack-functions.ts';

export async function planLive(options: { stack: string; json: boolean }, terminal: Console): Promise<number> {
  const [report] = await resyncPasses(stackNamed(options.stack), { dryRun: true }, terminal.note);
  await showPlan(planOf(report), options.json, terminal);
  return reportExit(report);
}
