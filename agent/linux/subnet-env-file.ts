/** `subnet.env` on disk, and what was written where, so that cleanup removes ours and no other's. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writeAtomically, writeIfOther } from './atomic-file.ts';
import { isMembers } from './dump.ts';

/** Whether it had to be written. */
export async function writeSubnetEnv(stateDir: string, path: string, content: string): Promise<boolean> {
  await writeIfOther(join(stateDir, 'subnet-env.json'), `${JSON.stringify({ path, content })}\n`);
  if ((await readIfThere(path)) === content) return false;
  await writeAtomically(path, content);
  return true;
}

/** Gives the path of the removed file; null: there was none of ours. */
export async function removeSubnetEnv(stateDir: string): Promise<string | null> {
  const record = await readIfThere(join(stateDir, 'subnet-env.json'));
  const value: unknown = record === null ? null : JSON.parse(record);
  if (!isMembers(value)) return null;
  const { path, content } = value;
  if (typeof path !== 'string' || (await readIfThere(path)) !== content) return null;
  await rm(path);
  return path;
}
