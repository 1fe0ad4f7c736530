/** `ip monitor` as a doorbell: what a line says does not matter, because some changes are not announced at all. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Monitor {
  close(): void;
}

const restartMilliseconds = 1000;

/**
 * Rings at any line of output, also one about an overflow, and whenever the process had to be started again: what
 * happened meanwhile is unknown.
 */
export function startMonitor(
  env: Readonly<Record<string, string | undefined>>,
  ring: () => void,
  log: (message: string) => void,
): Monitor {
  let closed = false;
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | null = null;

  function start(): void {
    timer = null;
    // FDB changes come in the neighbour group.
    const started = spawn('ip', ['-o', 'monitor', 'link', 'address', 'route', 'neigh'], {
      env: { ...env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    started.stdout.on('data', ring);
    started.stderr.on('data', ring);
    // A process that could not be started emits `error` and `close`, one that ended only `close`.
    started.on('error', (error) => log(`ip monitor: ${error.message}`));
    started.on('close', () => {
      if (closed) return;
      log('ip monitor ended and is started again');
      timer = setTimeout(() => {
        start();
        ring();
      }, restartMilliseconds);
    });
  }

  start();
  return {
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      child?.kill();
    },
  };
}
