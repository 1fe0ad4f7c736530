/** The store of dynalite 4.0.0, as far as this folder uses it; dynalite ships no types. */

export interface DynaliteStore {
  readonly db: { close(): Promise<void> };
  readonly tableDb: DynaliteDb & { awsAccountId: string; awsRegion: string };
  getItemDb(table: string): DynaliteDb;
  getIndexDb(kind: string, table: string, index: string): DynaliteDb;
  getTagDb(table: string): DynaliteDb;
}

export type DynaliteCallback = (error: Error | null, value?: unknown) => void;

export interface DynaliteDb {
  get(key: string, done: DynaliteCallback): void;
  put(key: string, value: unknown, done: DynaliteCallback): void;
  del(key: string, done: DynaliteCallback): void;
  batch(operations: readonly unknown[], done: DynaliteCallback): void;
  createKeyStream(options?: unknown): NodeJS.EventEmitter;
  createValueStream(options?: unknown): NodeJS.EventEmitter;
}
