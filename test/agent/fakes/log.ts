import type { AgentLog } from '../../../agent/reconcile/ports.ts';

export interface RecordedLog extends AgentLog {
  readonly infos: string[];
  readonly warnings: string[];
}

export function recordedLog(): RecordedLog {
  const infos: string[] = [];
  const warnings: string[] = [];
  return { infos, warnings, info: (text) => void infos.push(text), warn: (text) => void warnings.push(text) };
}
