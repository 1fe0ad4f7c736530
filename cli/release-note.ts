/** What follows when the lease of a node that may be running is released: its agent is not told, it finds out. */
import type { LeaseDetailJson } from '../shared/domain/lease-json.ts';

/** `lease` as it is after the release. Null where nobody is left to claim again. */
export function releaseNote({ subnet, instanceId, instance }: LeaseDetailJson): string | null {
  if (instanceId === null) return null;
  if (instance?.state === 'stopped') return `${instanceId} is stopped; when it starts, its agent claims a subnet again`;
  const state = instance === null ? 'may be running' : `is ${instance.state}`;
  return [
    `${instanceId} ${state}, and is not told:`,
    `- routes to ${subnet} go within seconds; containers that have its addresses keep them, and no other node reaches them`,
    '- its agent claims again with its next renewal, within a quarter of LeaseSeconds, or at once when it is restarted',
    '- it is granted the same subnet then, unless another node was; so to end it for good, stop the agent first',
  ].join('\n');
}
