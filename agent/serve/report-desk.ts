/** Where all that the agent says of itself comes together. */

import type { AgentMap } from '../../shared/domain/read-map.ts';
import type { ClaimStatus } from '../claim/claim-status.ts';
import type { MapSource, StatusSink } from '../reconcile/ports.ts';
import type { AgentStatus } from '../reconcile/status.ts';
import type { AgentReport, MapStatus } from './agent-report.ts';

export interface ReportDesk {
  /** Hears of every pass. */
  readonly sink: StatusSink;
  /** The same source, overheard. */
  overhear(source: MapSource): MapSource;
  /** Of the last pass that had a map with the own lease. */
  appliedRevision(): number | null;
  lastMap(): AgentMap | null;
  report(): AgentReport;
}

export interface ReportDeskOptions {
  readonly version: string;
  /** Epoch milliseconds. */
  now(): number;
  /** Null: nothing is claimed. */
  claim(): ClaimStatus | null;
}

export function reportDesk({ version, now, claim }: ReportDeskOptions): ReportDesk {
  const startedAt = now();
  let pass: AgentReport['pass'] = null;
  let map: MapStatus = { problem: null, readAt: null };
  let lastMap: AgentMap | null = null;
  let applied: AgentStatus['revision'] = null;
  return {
    sink: {
      publish: async (status) => {
        pass = { status, at: now() };
        applied = status.revision ?? applied;
      },
    },
    overhear: (source) => ({
      start: (listener) =>
        source.start({
          map: (read) => {
            lastMap = read;
            map = { problem: null, readAt: now() };
            listener.map(read);
          },
          unreadable: (problem) => {
            map = { ...map, problem };
            listener.unreadable(problem);
          },
        }),
      close: () => source.close(),
    }),
    appliedRevision: () => applied,
    lastMap: () => lastMap,
    report: () => ({ version, startedAt, now: now(), pass, claim: claim(), map }),
  };
}
