/** Calls the stack's resync until no work is left. */
import type { Match } from '../shared/domain/matching-row.ts';
import { type PlanJson, stepCount } from '../shared/domain/render-plan.ts';
import { counted } from '../shared/domain/render-plan-text.ts';
import { type SyncReport, type TableReport, writesOf } from '../shared/reconcile/report.ts';
import { exit, UserError } from './exit.ts';
import type { Stack } from './stack-functions.ts';

/** What the function answers: the report, the plan that it began with, if there was one, and what else was asked. */
export type ResyncReport = SyncReport & {
  readonly plan: PlanJson | null;
  readonly matches?: Readonly<Record<string, Match>>;
};

export interface ResyncRequest {
  readonly dryRun?: boolean;
  /** The digest of held deletions that are let through. */
  readonly force?: string;
  /** What it let through in the pass before. */
  readonly forced?: readonly string[];
  /** Tables that are written; all are read. */
  readonly tables?: readonly string[];
  /** A configuration to plan with in place of the applied one, as its text; with `dryRun` only. */
  readonly config?: string;
  /** A block: which row of each table takes packets to it? With `dryRun` only. */
  readonly address?: string;
}

/** Reports of all passes, the last one last; `progress` gets a line after each that leaves work. */
export async function resyncPasses(
  stack: Stack,
  request: ResyncRequest,
  progress: (line: string) => void,
): Promise<readonly [ResyncReport, ...ResyncReport[]]> {
  const reports: [ResyncReport, ...ResyncReport[]] = [await onePass(stack, request)];
  const further = nextRequest(request, reports[0]);
  for (let report = reports[0]; report.more; ) {
    const left = report.tables.reduce((sum, table) => sum + table.left, 0);
    progress(`pass ${reports.length}: ${counted(writesOf(report), 'write')}, ${counted(left, 'step')} left`);
    report = await onePass(stack, further);
    reports.push(report);
  }
  return reports;
}

/**
 * With each pass less is held, under another digest. So further passes carry what the first let through; and a force that
 * let nothing through is not tried again.
 */
function nextRequest(request: ResyncRequest, { guard }: ResyncReport): ResyncRequest {
  const { force, ...plain } = request;
  const forced = guard.forced ?? [];
  return force === undefined || forced.length === 0 ? plain : { ...request, forced };
}

async function onePass(stack: Stack, request: ResyncRequest): Promise<ResyncReport> {
  const report = (await stack.call('resync', { ...request })) as unknown as ResyncReport;
  if (!Array.isArray(report.tables)) throw new UserError('resync: gave no report');
  return report;
}

/** All passes as one: what was done is summed, what was planned is the first pass's, the rest is the last one's. */
export function mergedReport([first, ...others]: readonly [ResyncReport, ...ResyncReport[]]): ResyncReport {
  return others.reduce(
    (sum, report) => ({
      ...report,
      message: report.message ?? sum.message,
      plan: sum.plan,
      changes: [...sum.changes, ...report.changes],
      tables: report.tables.map((table) => {
        const before = sum.tables.find(({ id }) => id === table.id);
        return {
          ...table,
          created: table.created + (before?.created ?? 0),
          replaced: table.replaced + (before?.replaced ?? 0),
          deleted: table.deleted + (before?.deleted ?? 0),
        };
      }),
    }),
    first,
  );
}

/** The plan of a report; what kept it from being made is an error. */
export function planOf(report: ResyncReport): PlanJson {
  if (report.plan === null || report.plan === undefined) {
    throw new UserError(report.message ?? `resync: ${report.status}, without a plan`);
  }
  return report.plan;
}

/**
 * An error before a refusal before pending changes. `only`: the tables that were asked for, null for all; what is left
 * in others was not asked for.
 */
export function reportExit(report: ResyncReport, only: readonly string[] | null = null): number {
  if (report.status === 'failed' || report.status === 'unconfigured') return exit.error;
  const statuses = report.tables.filter(({ id }) => only?.includes(id) ?? true).map(({ status }) => status);
  if (statuses.some((status) => failing.includes(status))) return exit.error;
  if (report.guard.refused) return exit.refused;
  if (report.mode !== 'enforce') return report.plan !== null && stepCount(report.plan) > 0 ? exit.pending : exit.ok;
  // Work that is left although no further pass would help is work that was not done.
  return statuses.includes('left') ? exit.error : exit.ok;
}

const failing: readonly TableReport['status'][] = ['failed', 'missing', 'waiting'];
