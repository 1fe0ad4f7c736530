/** Settings of the host's that the agent changed: written down first, so that cleanup can undo them. */
import { join } from 'node:path';
import { readIfThere, writeAtomically } from './atomic-file.ts';
import { isMembers } from './dump.ts';
import type { Sysctls } from './sysctl.ts';

interface Change {
  readonly was: string;
  readonly set: string;
}

export interface SettingsRecord {
  /** Sets and remembers what was there first. Gives whether anything had to be changed. */
  set(path: string, value: string): Promise<boolean>;
  /** Undoes what still is as it was set, and forgets everything. Gives a sentence for each. */
  undo(): Promise<readonly string[]>;
}

export function settingsRecord(stateDir: string, sysctls: Sysctls): SettingsRecord {
  const file = join(stateDir, 'sysctls.json');
  return {
    async set(path, value) {
      const present = await sysctls.read(path);
      if (present === null || present === value) return false;
      const changes = await readChanges(file);
      // The first value is the host's own; a later one may be what a new link of the same name began with.
      const change = { was: changes[path]?.was ?? present, set: value };
      await writeAtomically(file, `${JSON.stringify({ ...changes, [path]: change }, null, 2)}\n`);
      await sysctls.write(path, value);
      return true;
    },
    async undo() {
      const done: string[] = [];
      const changes = await readChanges(file);
      for (const [path, { was, set }] of Object.entries(changes)) {
        if ((await sysctls.read(path)) !== set) continue;
        await sysctls.write(path, was);
        done.push(`${path} is ${was} again`);
      }
      if (Object.keys(changes).length > 0) await writeAtomically(file, '{}\n');
      return done;
    },
  };
}

async function readChanges(file: string): Promise<Readonly<Record<string, Change>>> {
  const content = await readIfThere(file);
  if (content === null) return {};
  const value: unknown = JSON.parse(content);
  if (!isMembers(value)) throw new Error(`${file}: is no record of settings`);
  return Object.fromEntries(
    Object.entries(value).flatMap(([path, change]) => {
      if (!isMembers(change)) return [];
      const { was, set } = change;
      return typeof was === 'string' && typeof set === 'string' ? [[path, { was, set }]] : [];
    }),
  );
}
