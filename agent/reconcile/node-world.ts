/** What a pass works with: the kernel, the settings, the clock, and what was decided by whoever started the agent. */
import type { Runner } from '../linux/runner.ts';
import type { Sysctls } from '../linux/sysctl.ts';
import type { SettingsRecord } from '../linux/sysctl-record.ts';
import type { NodeOptions } from './node-options.ts';
import type { AgentLog } from './ports.ts';

export interface NodeWorld {
  readonly runner: Runner;
  readonly sysctls: Sysctls;
  readonly record: SettingsRecord;
  readonly options: NodeOptions;
  readonly log: AgentLog;
  /** Epoch milliseconds: for what is remembered on disk. */
  now(): number;
  /** Milliseconds of a clock that nobody sets: for what happens within this process. */
  elapsed(): number;
}
