/** Kernel settings of this network namespace, and a record of those that the agent changed. */
import { readFile, writeFile } from 'node:fs/promises';

export interface Sysctls {
  /** Path with slashes below /proc/sys, because link names may hold dots. Null: there is no such setting. */
  read(path: string): Promise<string | null>;
  write(path: string, value: string): Promise<void>;
}

/** /proc/sys/net shows the namespace of the process that opens it. */
export function systemSysctls(root = '/proc/sys'): Sysctls {
  return {
    async read(path) {
      try {
        return (await readFile(`${root}/${path}`, 'utf8')).trim();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    write: (path, value) => writeFile(`${root}/${path}`, value),
  };
}
