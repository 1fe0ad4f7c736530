/** The `sync` item of the `map` table. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SyncStateStore } from '../reconcile/ports.ts';
import { networkKey } from './keys.ts';
import { getItem, putItem, type TableOptions } from './table.ts';

export interface SyncStateOptions extends TableOptions {
  readonly network: string;
}

/**
 * JSON under gzip: the state has a line for each lease and table, and an item takes 400 KB. An item that is neither reads
 * as none, as before the first sync: the next writing repairs it.
 */
export function dynamoSyncState(options: SyncStateOptions): SyncStateStore {
  const key = { pk: networkKey(options.network), sk: 'sync' };
  return {
    read: async () => {
      const item = await getItem(options, key);
      if (item === null) return null;
      return readable(item['state']);
    },
    write: (state) => putItem(options, { ...key, state: gzipSync(JSON.stringify(state)) }),
  };
}

function readable(state: unknown): unknown {
  if (!(state instanceof Uint8Array)) return null;
  try {
    return JSON.parse(gunzipSync(state).toString()) as unknown;
  } catch {
    return null;
  }
}
