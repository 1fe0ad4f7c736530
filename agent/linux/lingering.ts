/**
 * Our devices that are no longer needed: kept for a while without rows, because peers that have not seen the new map yet
 * still send through them.
 */
import { join } from 'node:path';
import { readIfThere, writeIfOther } from './atomic-file.ts';
import { isOurDevice } from './devices.ts';
import { isMembers } from './dump.ts';
import type { Link } from './read-links.ts';
import type { Runner } from './runner.ts';

const lingerMilliseconds = 10 * 60 * 1000;

/**
 * Deletes those whose time is over. Since when is kept on disk, so that restarts and single runs count too.
 *
 * @param now Epoch milliseconds.
 * @returns How many were deleted.
 */
export async function retireDevices(
  runner: Runner,
  stateDir: string,
  links: readonly Link[],
  wanted: ReadonlySet<string>,
  now: number,
): Promise<number> {
  const file = join(stateDir, 'lingering.json');
  const idle = links.filter((link) => isOurDevice(link) && !wanted.has(link.name)).map(({ name }) => name);
  const since = await readSince(file);
  if (idle.length === 0 && since.size === 0) return 0;
  const kept = new Map<string, number>();
  let deleted = 0;
  for (const name of idle) {
    // A clock that was set back must not keep a device for ever.
    const from = Math.min(since.get(name) ?? now, now);
    if (now - from < lingerMilliseconds) {
      kept.set(name, from);
      continue;
    }
    await runner.run(['ip', 'link', 'del', name]);
    deleted += 1;
  }
  await writeIfOther(file, `${JSON.stringify(Object.fromEntries(kept))}\n`);
  return deleted;
}

async function readSince(file: string): Promise<ReadonlyMap<string, number>> {
  const content = await readIfThere(file);
  if (content === null) return new Map();
  const value: unknown = JSON.parse(content);
  const entries = isMembers(value) ? Object.entries(value) : [];
  return new Map(entries.flatMap(([name, since]) => (typeof since === 'number' ? [[name, since]] : [])));
}
