/**
 * The status on disk, where `leaseway agent status` finds what a single run (`--once`) said; an agent that goes on is asked
 * itself.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeIfOther } from '../linux/atomic-file.ts';
import type { StatusSink } from './ports.ts';

export function statusPath(stateDir: string): string {
  return join(stateDir, 'status.json');
}

export function statusFile(stateDir: string): StatusSink {
  return {
    async publish(status) {
      await writeIfOther(statusPath(stateDir), `${JSON.stringify(status, null, 2)}\n`);
    },
  };
}

export function removeStatusFile(stateDir: string): Promise<void> {
  return rm(statusPath(stateDir), { force: true });
}
