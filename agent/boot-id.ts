import { readFile } from 'node:fs/promises';

/** Another text after each start of the machine; containers see their host's. Null: the kernel does not say. */
export async function readBootId(path = '/proc/sys/kernel/random/boot_id'): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch {
    return null;
  }
}
