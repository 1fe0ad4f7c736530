/** The `sync` item of the `map` table. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { InvalidInput } from '../domain/invalid-input.ts';
import type { SyncStateStore } from '../reconcile/ports.ts';
import { networkKey } from './keys.ts';
import { getItem, putItem, type TableOptions } from './table.ts';

export interface SyncStateOptions extends TableOptions {
  readonly network: string;
}

/** JSON under gzip: the state has a line for each lease and table, and an item takes 400 KB. */
export function dynamoSyncState(options: SyncStateOptions): SyncStateStore {
  const key = { pk: networkKey(options.network), sk: 'sync' };
  return {
    read: async () => {
      const item = await getItem(options, key);
      if (item === null) return null;
      const { state } = item;
      if (!(state instanceof Uint8Array)) throw new InvalidInput('sync.state', undefined, 'is not binary');
      return JSON.parse(gunzipSync(state).toString()) as unknown;
    },
    write: (state) => putItem(options, { ...key, state: gzipSync(JSON.stringify(state)) }),
  };
}
