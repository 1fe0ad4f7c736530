/** A resync's report for people. */
import type { PlanJson } from '../shared/domain/render-plan.ts';
import { counted, type Paint, stepText } from '../shared/domain/render-plan-text.ts';
import { type SyncReport, type TableReport, writesOf } from '../shared/reconcile/report.ts';

/** Lines without a last newline. `only`: the tables that were asked for, null for all. */
export function reportText(
  report: SyncReport & { readonly plan: PlanJson | null },
  paint: Paint,
  only: readonly string[] | null = null,
): string {
  const message = report.message === null ? [] : [report.message];
  return [
    ...report.tables.flatMap((table) => tableLines(table, report, paint)),
    ...report.cutOff.map((where) => paint.warning(`${where}: its nodes reach no other node`)),
    ...message,
    summary(report, only),
  ].join('\n');
}

function tableLines(table: TableReport, report: SyncReport, paint: Paint): string[] {
  const changes = report.changes.filter(({ routeTableId }) => routeTableId === table.id);
  const lines = changes.map((change) => `  ${paint[change.action](stepText(change))}  ${paint.faint(change.reason)}`);
  const failures = table.failures.map(({ action, destination, code, message, permanent }) => {
    const where = destination === null ? '' : ` ${destination}`;
    const until = permanent ? ' (somebody has to change something first)' : '';
    return `  ${paint.warning(`${action}${where}: ${code}: ${message}`)}${until}`;
  });
  const held = report.guard.tables[table.id]?.held ?? 0;
  const facts = [
    table.pending === 0 ? null : `${table.pending} not visible yet`,
    table.left === 0 ? null : `${counted(table.left, 'step')} left`,
    held === 0 ? null : `${counted(held, 'deletion')} held back`,
    table.overflow.length === 0 ? null : `no room for ${table.overflow.join(', ')}`,
  ].filter((fact) => fact !== null);
  const status = table.status === 'ok' ? table.status : paint.warning(table.status);
  return [`${paint.heading(table.id)}  ${[status, ...facts].join(', ')}`, ...lines, ...failures, ''];
}

function summary(report: SyncReport, only: readonly string[] | null): string {
  const isAsked = ({ id }: TableReport) => only?.includes(id) ?? true;
  const asked = report.tables.filter(isAsked);
  const others = report.tables.filter((table) => !isAsked(table) && table.status !== 'ok');
  const writes = writesOf(report);
  const failures = asked.reduce((sum, table) => sum + table.failures.length, 0);
  const parts = [
    others.length === 0 ? report.status : statusOfAsked(report, asked),
    writes === 0 ? 'nothing was written' : `${counted(writes, 'route')} written`,
    ...(failures === 0 ? [] : [counted(failures, 'failure')]),
    ...(report.guard.refused
      ? [`deletions held back by the guard; if they are meant: --force ${report.guard.digest}`]
      : []),
  ];
  const besides = others.map(({ id, status }) => `${id} ${status}`).join(', ');
  return parts.join(', ') + (besides === '' ? '' : `; not asked for: ${besides}`);
}

/** A report is partial for tables, too, that were not asked for. */
function statusOfAsked({ status, guard }: SyncReport, asked: readonly TableReport[]): SyncReport['status'] {
  if (status !== 'partial' || asked.length === 0 || asked.some((table) => table.status !== 'ok')) return status;
  return guard.refused ? 'refused' : 'ok';
}
