/** The `sync` item in memory, as the JSON that a store keeps. */
import type { SyncStateStore } from '../../../shared/reconcile/ports.ts';
import { Faults } from './faults.ts';

export class FakeSyncState implements SyncStateStore {
  readonly faults = new Faults();
  json: string | null = null;

  read(): Promise<unknown> {
    return this.faults.run('GetItem', 'sync', () => (this.json === null ? null : (JSON.parse(this.json) as unknown)));
  }

  write(state: unknown): Promise<void> {
    return this.faults.run('PutItem', 'sync', () => {
      this.json = JSON.stringify(state);
    });
  }
}
