/** `leaseway agent status`: what the agent of a state folder said last. */
import { readIfThere } from '../linux/atomic-file.ts';
import type { AgentStatus } from '../reconcile/status.ts';
import { statusPath } from '../reconcile/status-file.ts';
import type { AgentTerminal } from './terminal.ts';

export async function statusCommand(stateDir: string, json: boolean, terminal: AgentTerminal): Promise<number> {
  const path = statusPath(stateDir);
  const text = await readIfThere(path);
  if (text === null) {
    terminal.note(`leaseway agent: no agent has reported in ${stateDir} (${path} does not exist)`);
    return 1;
  }
  const status = JSON.parse(text) as AgentStatus;
  for (const line of json ? [JSON.stringify(status, null, 2)] : statusLines(status)) terminal.print(line);
  return 0;
}

export function statusLines(status: AgentStatus): readonly string[] {
  const head = [
    `${status.ready ? 'ready' : 'not ready'}, network ${status.network ?? 'unknown'}, revision ${status.revision ?? 'none'}`,
    `this node: ${status.subnets.join(', ') || 'no lease'}`,
  ];
  const width = Math.max(0, ...status.leases.map(({ subnet }) => subnet.length));
  const peers = status.leases.map(({ subnet, path, via, dev, why }) => {
    const way = path === null ? 'none' : `${path} via ${via} dev ${dev}`;
    return `${subnet.padEnd(width)}  ${way}: ${why}`;
  });
  const notes = [...status.problems.map((text) => `problem: ${text}`), ...status.conflicts];
  return [...head, ...peers, ...notes];
}
