/** What the rows that are missing mean for the peers and for this node. */
import type { Cidr } from '../../shared/domain/cidr.ts';
import { type KernelRoute, routeKind } from '../../shared/domain/kernel-rows.ts';
import { subnetOf } from '../../shared/domain/lease.ts';
import type { NetworkConfig } from '../../shared/domain/network-config.ts';
import type { NodeRows } from '../../shared/domain/node-rows.ts';
import type { AgentLease } from '../../shared/domain/read-map.ts';
import type { ApplyResult } from './apply-rows.ts';
import type { PeerStatus } from './status.ts';

/** Peers whose route could not be programmed have no path, whatever the map says. */
export function peerStatuses(wanted: NodeRows, { missingRoutes }: ApplyResult): readonly PeerStatus[] {
  const problems = new Map(
    wanted.routes.flatMap((route) => {
      const problem = missingRoutes.get(routeKind.key(route));
      return problem === undefined ? [] : [[route.destination, problem]];
    }),
  );
  const peers = wanted.peers.map((peer): PeerStatus => {
    const problem = peer.path === 'vpc' ? undefined : problems.get(peer.subnet);
    if (problem === undefined) return peer;
    return { ...peer, path: null, why: `${peer.path ?? 'no path'} is wanted (${peer.why}), but ${problem}` };
  });
  const refused = wanted.refused.map(({ name, instanceId, problem }): PeerStatus => {
    const what = instanceId === null ? 'the lease' : `the lease of ${instanceId}`;
    return { subnet: name, instanceId, path: null, via: null, dev: null, why: `${what} is refused: ${problem}` };
  });
  return [...peers, ...refused];
}

export function ownSubnets(config: NetworkConfig, own: AgentLease): readonly Cidr[] {
  return config.families.flatMap(({ family }) => subnetOf(own, family) ?? []);
}

/** The network's row and the own subnet's: without them this node is not in order, whatever its peers are. */
export function ownRowProblems(
  routes: readonly KernelRoute[],
  config: NetworkConfig,
  own: AgentLease,
  { missingRoutes }: ApplyResult,
): readonly string[] {
  const mine = new Set([
    ...config.families.map(({ network }) => network.text),
    ...ownSubnets(config, own).map(({ text }) => text),
  ]);
  return routes.flatMap((route) =>
    mine.has(route.destination) ? (missingRoutes.get(routeKind.key(route)) ?? []) : [],
  );
}
