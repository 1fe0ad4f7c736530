/** From the outcome of a pass to what the agent says of itself. */
import type { Family } from '../../shared/domain/cidr.ts';
import { subnetOf } from '../../shared/domain/lease.ts';
import type { AgentMap } from '../../shared/domain/read-map.ts';
import type { PassResult } from './pass.ts';
import type { AgentStatus } from './status.ts';

export interface Totals {
  readonly passes: number;
  readonly changes: number;
}

export function statusOf(
  map: AgentMap | null,
  result: PassResult | null,
  problems: readonly string[],
  totals: Totals,
): AgentStatus {
  const own = result?.own ?? null;
  const families: readonly Family[] = ['ipv4', 'ipv6'];
  return {
    ready: result?.ready ?? false,
    epoch: own === null ? null : (map?.epoch ?? null),
    revision: own === null ? null : (map?.revision ?? null),
    network: map?.network ?? null,
    subnets: own === null ? [] : families.flatMap((family) => subnetOf(own, family)?.text ?? []),
    leases: result?.peers ?? [],
    problems: [...new Set([...(result?.problems ?? []), ...problems])].sort(),
    conflicts: [...(result?.conflicts ?? [])].sort(),
    counts: {
      ...totals,
      failedRows: result?.failedRows ?? 0,
      skippedLeases: result?.skippedLeases ?? 0,
      heldPeers: result?.heldPeers ?? 0,
    },
  };
}
