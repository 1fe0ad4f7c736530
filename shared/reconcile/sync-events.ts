/** The public events that a sync gives out. What was told once is told again only when it changed. */
import { countedRows, limitsOf } from '../domain/capacity.ts';
import type { Family } from '../domain/cidr.ts';
import { digestOf } from '../domain/digest.ts';
import type { NetworkPlan } from '../domain/network-plan.ts';
import type { Picture } from './look.ts';
import type { OutgoingEvent } from './ports.ts';
import type { SyncReport } from './report.ts';
import { learnedLimits, type SyncState } from './sync-state.ts';

/** An event has at most 1 MB, 256 KB before 2026; a hundred routes say what happened. */
const mostRoutes = 100;

export function changeEvents(report: SyncReport): OutgoingEvent[] {
  if (report.changes.length === 0) return [];
  const { network, syncId } = report;
  const tables = report.tables
    .filter((table) => table.created + table.replaced + table.deleted > 0)
    .map(({ id, created, replaced, deleted }) => [id, { created, replaced, deleted }] as const);
  const detail = {
    network,
    syncId,
    tables: Object.fromEntries(tables),
    routes: report.changes.slice(0, mostRoutes),
    truncated: report.changes.length > mostRoutes,
  };
  return [{ detailType: 'Route Change', detail }];
}

/** `listedTableIds` are named by a failure that is no single table's. */
export function failureEvents(report: SyncReport, listedTableIds: readonly string[]): OutgoingEvent[] {
  const { network, syncId } = report;
  const failures =
    report.status === 'failed'
      ? listedTableIds.map((routeTableId) => ({
          routeTableId,
          action: 'Sync',
          destination: null,
          error: 'NothingPlanned',
          message: report.message ?? '',
          permanent: false,
        }))
      : report.tables.flatMap(({ id, failures: list, status }) =>
          // A table that is left alone was told of when it failed.
          status === 'waiting'
            ? []
            : list.map(({ action, destination, code, message, permanent }) => ({
                routeTableId: id,
                action,
                destination,
                error: code,
                message,
                permanent,
              })),
        );
  return failures.length === 0 ? [] : [{ detailType: 'Route Sync Failed', detail: { network, syncId, failures } }];
}

export interface Told {
  readonly events: readonly OutgoingEvent[];
  readonly state: SyncState;
}

export function refusalEvents(report: SyncReport, state: SyncState): Told {
  const { network, syncId, guard } = report;
  if (!guard.refused || guard.digest === null) return { events: [], state: { ...state, toldRefusal: null } };
  if (state.toldRefusal === guard.digest) return { events: [], state };
  const tables = Object.fromEntries(Object.entries(guard.tables).map(([id, { held }]) => [id, held]));
  return {
    events: [
      {
        detailType: 'Route Sync Refused',
        detail: { network, syncId, digest: guard.digest, tables, map: report.map.held },
      },
    ],
    state: { ...state, toldRefusal: guard.digest },
  };
}

export function capacityEvents(
  network: string,
  plan: NetworkPlan,
  picture: Picture,
  state: SyncState,
  now: number,
): Told {
  const events: OutgoingEvent[] = [];
  const tables = { ...state.tables };
  for (const { id, overflow } of plan.tables) {
    const before = tables[id];
    const table = picture.tables.find((candidate) => candidate.id === id);
    if (before === undefined || table === undefined) continue;
    const text = overflow.map((route) => route.destinationText).join(' ');
    const digest = text === '' ? null : digestOf(text);
    if (digest === before.toldOverflow) continue;
    tables[id] = { ...before, toldOverflow: digest };
    const limits = limitsOf(table, picture.config.routeLimit, learnedLimits(before, now));
    for (const family of familiesOf(overflow.map((route) => route.destination.family))) {
      const destinations = overflow.filter((route) => route.destination.family === family);
      events.push({
        detailType: 'Route Table Capacity',
        detail: {
          network,
          routeTableId: id,
          family,
          limit: limits[family],
          used: countedRows(table, family),
          overflow: destinations.map((route) => route.destinationText),
        },
      });
    }
  }
  return { events, state: { ...state, tables } };
}

function familiesOf(families: readonly Family[]): Family[] {
  return [...new Set(families)];
}
