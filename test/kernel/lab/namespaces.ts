/**
 * The namespaces that this process made, removed whatever happens: at the end of the test, at a failed assertion, at
 * SIGINT and SIGTERM, and, where the process itself was killed, by the next run.
 *
 * Names are `lw-<pid>-<n>-<name>`: two runs at once do not meet, and whose owner is dead can be told from the name.
 */
import { existsSync, readdirSync } from 'node:fs';
import { run, runSync } from './command.ts';

const made = new Set<string>();
let serial = 0;
let guarded = false;

export async function makeNamespace(name: string): Promise<string> {
  guard();
  serial += 1;
  const namespace = `lw-${process.pid}-${serial}-${name}`;
  made.add(namespace);
  await run(['ip', 'netns', 'add', namespace]);
  return namespace;
}

/** Ends what runs inside, then removes it: a process would keep the namespace alive without its name. */
export function removeNamespace(namespace: string): void {
  if (existsSync(`/run/netns/${namespace}`)) {
    endProcessesIn(namespace);
    runSync(['ip', 'netns', 'del', namespace]);
  }
  made.delete(namespace);
}

export function removeOwnNamespaces(): void {
  for (const namespace of [...made]) removeNamespace(namespace);
}

function endProcessesIn(namespace: string): void {
  for (const line of runSync(['ip', 'netns', 'pids', namespace]).split('\n')) {
    const pid = Number(line);
    if (pid > 1 && pid !== process.pid) end(pid);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error; // It ended by itself.
  }
}

/** Namespaces of a run that was killed (SIGKILL runs no handler): theirs whose process is no more. */
function removeOrphans(): void {
  if (!existsSync('/run/netns')) return;
  for (const namespace of readdirSync('/run/netns')) {
    const pid = /^lw-(\d+)-\d+-/.exec(namespace)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeNamespace(namespace);
  }
}

function guard(): void {
  if (guarded) return;
  guarded = true;
  removeOrphans();
  process.once('exit', removeOwnNamespaces);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      removeOwnNamespaces();
      process.kill(process.pid, signal); // The handler is gone by now: the process ends as it would have.
    });
  }
}
