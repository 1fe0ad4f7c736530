/** The agent's metrics. Names and labels are a contract with people's dashboards. */
import type { AgentReport } from './agent-report.ts';
import type { Metric, Sample } from './metrics-text.ts';

export function agentMetrics(report: AgentReport): readonly Metric[] {
  const { pass, claim, map, startedAt, version } = report;
  const status = pass?.status ?? null;
  const counts = status?.counts ?? null;
  return [
    gauge('leaseway_agent_info', 'Always 1; its labels say what runs.', {
      value: 1,
      labels: { version, network: status?.network ?? '' },
    }),
    gauge('leaseway_agent_start_time_seconds', 'When the agent started.', seconds(startedAt)),
    gauge('leaseway_agent_ready', 'Whether every healthy row of the own lease and its peers was read back.', {
      value: Number(status?.ready ?? false),
    }),
    gauge('leaseway_agent_map_revision', 'Revision of the map that was applied last.', sample(status?.revision)),
    gauge('leaseway_agent_map_epoch', 'Epoch of the map that was applied last.', sample(status?.epoch)),
    gauge(
      'leaseway_agent_map_read_time_seconds',
      'When a map, or the same one again, was read last.',
      seconds(map.readAt),
    ),
    gauge('leaseway_agent_map_unreadable', 'Whether the last reading of the map failed.', {
      value: Number(map.problem !== null),
    }),
    gauge('leaseway_agent_leases', 'Remote leases by the path to them; none: not reachable by us.', ...paths(report)),
    gauge('leaseway_agent_problems', 'Problems of the last pass.', sample(status?.problems.length)),
    gauge('leaseway_agent_conflicts', 'Foreign rows in the way of a lease.', sample(status?.conflicts.length)),
    gauge('leaseway_agent_failed_rows', 'Rows that the last pass could not program.', sample(counts?.failedRows)),
    gauge('leaseway_agent_skipped_leases', 'Leases without a path, or refused.', sample(counts?.skippedLeases)),
    gauge(
      'leaseway_agent_held_peers',
      'Peers that the guard keeps although the map lost them.',
      sample(counts?.heldPeers),
    ),
    counter('leaseway_agent_passes_total', 'Passes since the start.', sample(counts?.passes)),
    counter(
      'leaseway_agent_changes_total',
      'Rows created, replaced or deleted since the start.',
      sample(counts?.changes),
    ),
    gauge('leaseway_agent_last_pass_time_seconds', 'When the last pass ended.', seconds(pass?.at)),
    gauge(
      'leaseway_agent_claim_granted',
      'Whether the last claim was granted.',
      ...ofClaim(claim?.state !== 'refused'),
    ),
    gauge('leaseway_agent_claim_problems', 'What stands in the way of the claim.', sample(claim?.problems.length)),
    gauge(
      'leaseway_agent_lease_expiry_time_seconds',
      'When the own lease expires unless renewed.',
      sample(claim?.expiresAt),
    ),
    counter('leaseway_agent_claims_written_total', 'Claims written since the start.', sample(claim?.written)),
    counter('leaseway_agent_claims_answered_total', 'Final answers since the start.', sample(claim?.answered)),
  ];

  function ofClaim(holds: boolean): readonly Sample[] {
    return claim === null ? [] : [{ value: Number(holds && claim.subnet !== null) }];
  }
}

function paths({ pass }: AgentReport): readonly Sample[] {
  if (pass === null) return [];
  const found = pass.status.leases.map(({ path }) => path ?? 'none');
  return ['vpc', 'host-gw', 'vxlan', 'none'].map((path) => ({
    value: found.filter((other) => other === path).length,
    labels: { path },
  }));
}

function sample(value: number | null | undefined): Sample | null {
  return value === null || value === undefined ? null : { value };
}

function seconds(milliseconds: number | null | undefined): Sample | null {
  return milliseconds === null || milliseconds === undefined ? null : { value: milliseconds / 1000 };
}

function gauge(name: string, help: string, ...samples: readonly (Sample | null)[]): Metric {
  return { name, help, type: 'gauge', samples: samples.filter((found) => found !== null) };
}

function counter(name: string, help: string, ...samples: readonly (Sample | null)[]): Metric {
  return { ...gauge(name, help, ...samples), type: 'counter' };
}
