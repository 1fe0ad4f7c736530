/** What this folder uses of dynalite 4.0.0, which ships no types. */

interface DynaliteStore {
  readonly db: { close(): Promise<void> };
  readonly tableDb: DynaliteDb & { awsAccountId: string; awsRegion: string };
  getItemDb(table: string): DynaliteDb;
  getIndexDb(kind: string, table: string, index: string): DynaliteDb;
  getTagDb(table: string): DynaliteDb;
}

type DynaliteCallback = (error: Error | null, value?: unknown) => void;

interface DynaliteDb {
  get(key: string, done: DynaliteCallback): void;
  put(key: string, value: unknown, done: DynaliteCallback): void;
  del(key: string, done: DynaliteCallback): void;
  batch(operations: readonly unknown[], done: DynaliteCallback): void;
  createKeyStream(options?: unknown): NodeJS.EventEmitter;
  createValueStream(options?: unknown): NodeJS.EventEmitter;
}

declare module 'dynalite/db/index.js' {
  export function create(options: {
    createTableMs: number;
    deleteTableMs: number;
    updateTableMs: number;
  }): DynaliteStore;
  export function checkConditional(data: object, item: object | undefined): Error | null | undefined;
  export function validateKey(key: object, schema: object): Error | null | undefined;
  export function createKey(key: object, schema: object): string;
  export function itemSize(item: object): number;
}

declare module 'dynalite/validations/index.js' {
  export function checkTypes(data: object, types: object): object;
  export function checkValidations(data: object, types: object, custom: unknown, store: DynaliteStore): void;
}
