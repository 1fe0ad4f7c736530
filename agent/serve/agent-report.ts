/** All that the agent says of itself, as of one moment: what the endpoints are rendered from. */
import type { ClaimStatus } from '../claim/claim-status.ts';
import type { AgentStatus } from '../reconcile/status.ts';

export interface MapStatus {
  /** Why the map could not be read the last time; null: it could. */
  readonly problem: string | null;
  /** Epoch milliseconds of the last map that was good; null: none was yet. */
  readonly readAt: number | null;
}

export interface AgentReport {
  readonly version: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly now: number;
  /** Of the last pass, and when it ended; null: there was none yet. */
  readonly pass: { readonly status: AgentStatus; readonly at: number } | null;
  /** Null: maps come from a file, and nothing is claimed. */
  readonly claim: ClaimStatus | null;
  readonly map: MapStatus;
}

/** Milliseconds without a pass after which the loop is taken for stuck: passes come every 10 s. */
const longestPause = 120_000;

/** Why the agent is not healthy, so that a restart may help; null: it is. Waiting for a first map is healthy. */
export function sickness({ pass, now }: AgentReport): string | null {
  if (pass === null || now - pass.at <= longestPause) return null;
  return `no pass for ${Math.round((now - pass.at) / 1000)} s`;
}

/** Why the node is not ready for containers; empty: it is. */
export function hindrances({ pass, claim, map }: AgentReport): readonly string[] {
  if (pass?.status.ready === true) return [];
  const problems = [
    ...(claim?.problems ?? []),
    ...(map.problem === null ? [] : [map.problem]),
    ...(pass?.status.problems ?? []),
  ];
  return problems.length > 0
    ? problems
    : [pass === null ? 'no map was applied yet' : 'not everything is programmed yet'];
}
