/** The kernel's bound on learned neighbours: one table for all namespaces, 1,024 by default. */
import type { Family } from '../../shared/domain/cidr.ts';
import type { PeerRows } from '../../shared/domain/node-rows.ts';
import type { Sysctls } from './sysctl.ts';

/** Pods, routers and others need entries too. */
const margin = 128;

/** Peers of the tunnel do not count: their entries are permanent. The setting exists in the initial namespace only. */
export async function neighbourLimitProblems(sysctls: Sysctls, peers: readonly PeerRows[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const family of ['ipv4', 'ipv6'] satisfies Family[]) {
    const path = `net/${family}/neigh/default/gc_thresh3`;
    const direct = peers.filter(({ path, via }) => path === 'host-gw' && via?.includes(':') === (family === 'ipv6'));
    const limit = await sysctls.read(path);
    if (limit === null || direct.length + margin <= Number(limit)) continue;
    problems.push(
      `${path} is ${limit}, too low for ${direct.length} direct peers: raise it above ${direct.length + margin}`,
    );
  }
  return problems;
}
