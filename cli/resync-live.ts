/** `leaseway resync` against the deployed stack. */
import { type Console, jsonText } from './console.ts';
import { showPlan } from './plan-world.ts';
import { reportText } from './report-text.ts';
import { mergedReport, planOf, reportExit, resyncPasses } from './resync-passes.ts';
import { stackNamed } from './stack-functions.ts';

export interface ResyncOptions {
  readonly stack: string;
  readonly json?: true;
  readonly dryRun?: true;
  readonly force?: string;
  readonly table?: readonly string[];
}

export async function resyncLive(options: ResyncOptions, terminal: Console): Promise<number> {
  // As reports name them.
  const only = options.table?.map((id) => id.toLowerCase()) ?? null;
  const request = {
    ...(options.dryRun === true && { dryRun: true }),
    ...(options.force !== undefined && { force: options.force }),
    ...(only !== null && { tables: only }),
  };
  const report = mergedReport(await resyncPasses(stackNamed(options.stack), request, terminal.note));
  if (options.json === true) terminal.print(jsonText(report));
  else if (options.dryRun === true) {
    await showPlan(planOf(report), false, terminal);
    if (report.message !== null) terminal.note(report.message);
  } else terminal.print(reportText(report, await terminal.paint(), only));
  return reportExit(report, only);
}
