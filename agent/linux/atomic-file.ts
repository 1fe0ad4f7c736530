/** Files that others read while they are written: the old content or the new, never a part. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes beside the file and renames. Makes the folder where there is none. */
export async function writeAtomically(path: string, content: string, mode = 0o644): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(beside, content, { mode });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Null: there is no such file. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether the file had to be written. */
export async function writeIfOther(path: string, content: string): Promise<boolean> {
  if ((await readIfThere(path)) === content) return false;
  await writeAtomically(path, content);
  return true;
}
