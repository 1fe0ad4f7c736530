/** What somebody should know of a plan although nothing failed: one line each. */
import { isCutOff } from './cut-off.ts';
import { isHeldByOthers } from './render-lease-status.ts';
import type { PlanJson } from './render-plan.ts';
import { counted } from './render-plan-text.ts';

/** The lease statuses that call for somebody. */
const worrying = ['overflow', 'stale', 'rejected', 'conflict'];

export function planWarnings(plan: PlanJson): string[] {
  const ofTables = Object.entries(plan.tables).flatMap(([id, table]) => [
    ...(table.status === 'missing' ? [`${id}: cannot be found`] : []),
    ...(table.over === undefined
      ? []
      : [`${id}: ${counted(table.over, 'route')} beyond its limit: what is there stays, and nothing more has room`]),
    ...table.conflicts.map((row) => `${id}: conflict: ${row.destination} -> ${row.nextHop} is not ours and stays`),
    ...table.shadows.map(
      (row) => `${id}: shadow: ${row.destination} -> ${row.nextHop} is not ours and takes part of a lease's traffic`,
    ),
    ...(table.held.length > 0 ? [`${id}: the guard holds back ${table.held.length} deletions`] : []),
  ]);
  const ofLeases = Object.entries(plan.leases)
    .filter(([, lease]) => (worrying.includes(lease.status) && !isHeldByOthers(lease)) || isCutOff(lease))
    .map(([subnet, { status, reason }]) => `${subnet}: ${status}: ${reason}`);
  const ofGuard = plan.guard.refused ? [`refused by the guard; if it is meant: --force ${plan.guard.digest}`] : [];
  return [...ofTables, ...ofLeases, ...ofGuard];
}
