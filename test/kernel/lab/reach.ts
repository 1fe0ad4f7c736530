/** Whether every pod reaches every other. */
import assert from 'node:assert/strict';
import type { Node } from './node.ts';

const pairs = (nodes: readonly Node[]): readonly (readonly [Node, Node])[] =>
  nodes.flatMap((from) => nodes.filter((to) => to !== from).map((to) => [from, to] as const));

/** Both families where the leases have both. */
export async function assertAllPodsReach(
  nodes: readonly Node[],
  options: { withinMs?: number; bytes?: number } = {},
): Promise<void> {
  for (const [from, to] of pairs(nodes)) {
    for (const address of to.spec.ipv6Lease === undefined ? [to.podIp] : [to.podIp, to.podIpv6]) {
      const reached = await from.pod.reaches(address, options);
      assert.ok(reached, `${from.spec.name} does not reach the pod ${address} of ${to.spec.name}`);
    }
  }
}
