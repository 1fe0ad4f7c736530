/** `leaseway agent status`: what the agent of a state folder says; without one, what the last single run said. */
import { readIfThere } from '../linux/atomic-file.ts';
import type { AgentStatus } from '../reconcile/status.ts';
import { statusPath } from '../reconcile/status-file.ts';
import { NoAgent, readStatus } from '../serve/read-status.ts';
import type { AgentTerminal } from './terminal.ts';

export async function statusCommand(stateDir: string, json: boolean, terminal: AgentTerminal): Promise<number> {
  const status = await statusOfAgent(stateDir, terminal);
  if (status === null) return 1;
  for (const line of json ? [JSON.stringify(status, null, 2)] : statusLines(status)) terminal.print(line);
  return 0;
}

async function statusOfAgent(stateDir: string, terminal: AgentTerminal): Promise<AgentStatus | null> {
  try {
    // Its own words, which have every member of a status and more.
    return (await readStatus(stateDir)) as unknown as AgentStatus;
  } catch (error) {
    terminal.note(`leaseway agent: ${error instanceof Error ? error.message : String(error)}`);
    if (!(error instanceof NoAgent)) return null;
  }
  const text = await readIfThere(statusPath(stateDir));
  if (text !== null) terminal.note('leaseway agent: this is what the last run with --once said');
  return text === null ? null : (JSON.parse(text) as AgentStatus);
}

function statusLines(status: AgentStatus): readonly string[] {
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
