/** CloudWatch metrics and log lines of a sync. */
import type { SyncReport } from '../shared/reconcile/report.ts';
import type { Run } from './middleware.ts';

export function tell(report: SyncReport, run: Run): void {
  const sum = (of: (table: SyncReport['tables'][number]) => number) =>
    report.tables.reduce((total, table) => total + of(table), 0);
  const counts = {
    RoutesCreated: sum((table) => table.created),
    RoutesReplaced: sum((table) => table.replaced),
    RoutesDeleted: sum((table) => table.deleted),
    RoutesFailed: report.status === 'failed' ? 1 : sum((table) => table.failures.length),
    BlackholesFound: sum((table) => table.blackholes),
    Drift: report.drift,
    Overflow: sum((table) => table.overflow.length),
    GuardRefusals: report.guard.refused || report.map.held > 0 ? 1 : 0,
  };
  // Zeros are data too: an alarm that saw a one must see it end.
  for (const [name, value] of Object.entries(counts)) run.metric(name, value);
  const fields = { syncId: report.syncId, status: report.status, more: report.more, ...counts };
  if (report.status === 'ok' || report.status === 'unconfigured') run.info(report.message ?? 'synced', fields);
  else run.warn(report.message ?? 'synced in part', fields);
  if (report.map.renewed) run.warn('the map table may show an earlier time: the map has a newer epoch', fields);
  for (const table of report.tables) {
    for (const { action, destination, code, message, permanent } of table.failures) {
      run.warn(`${action} on ${table.id} failed`, {
        routeTableId: table.id,
        action,
        destination,
        code,
        message,
        permanent,
      });
    }
  }
  for (const where of report.cutOff) run.warn(`${where}: its nodes reach no other node`);
  if (report.guard.refused) run.warn('the guard holds deletions back', { digest: report.guard.digest });
}
