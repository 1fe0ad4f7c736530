/** What this folder calls of dynalite 4.0.0, which ships no types. */

declare module 'dynalite/db/index.js' {
  export function create(options: {
    createTableMs: number;
    deleteTableMs: number;
    updateTableMs: number;
  }): import('./dynalite-store.ts').DynaliteStore;
  export function checkConditional(data: object, item: object | undefined): Error | null | undefined;
  export function validateKey(key: object, schema: object): Error | null | undefined;
  export function createKey(key: object, schema: object): string;
  export function itemSize(item: object): number;
}

declare module 'dynalite/validations/index.js' {
  export function checkTypes(data: object, types: object): object;
  export function checkValidations(
    data: object,
    types: object,
    custom: unknown,
    store: import('./dynalite-store.ts').DynaliteStore,
  ): void;
}
