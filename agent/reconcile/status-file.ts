/** The status on disk, where `leaseway agent status` finds it by `--state-dir`. */
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
