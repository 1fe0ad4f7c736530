/** The status as programs read it: `agent status --json`. */
import type { AgentReport } from './agent-report.ts';
import { hindrances } from './agent-report.ts';

/** The members that the contract names come first; JSON values only. */
export function statusJson(report: AgentReport): Record<string, unknown> {
  const { pass, claim, map, version, startedAt } = report;
  const status = pass?.status ?? null;
  return {
    ready: status?.ready ?? false,
    revision: status?.revision ?? null,
    leases: status?.leases ?? [],
    epoch: status?.epoch ?? null,
    network: status?.network ?? null,
    subnets: status?.subnets ?? [],
    problems: [...(claim?.problems ?? []), ...(status?.problems ?? [])],
    conflicts: status?.conflicts ?? [],
    counts: status?.counts ?? null,
    hindrances: hindrances(report),
    claim: claim && { ...claim, subnet: claim.subnet?.text ?? null, ipv6Subnet: claim.ipv6Subnet?.text ?? null },
    map: { problem: map.problem, readAt: isoTime(map.readAt) },
    agent: { version, pid: process.pid, startedAt: isoTime(startedAt), lastPassAt: isoTime(pass?.at ?? null) },
  };
}

function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
