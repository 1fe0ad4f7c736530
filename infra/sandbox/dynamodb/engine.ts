/**
 * dynalite driven in process: its validations and actions on its in-memory store, without its HTTP server.
 *
 * One call at a time (`Turns` sees to that). What dynalite gets wrong stays wrong here: `=` between two maps or two
 * lists is never true.
 */
import { createRequire } from 'node:module';
import { checkConditional, createKey, validateKey } from 'dynalite/db/index.js';
import { checkTypes, checkValidations } from 'dynalite/validations/index.js';
import { AwsError, sandboxAccount, sandboxRegion } from '../service.ts';
import type { Item } from './attribute-value.ts';
import type { DynaliteCallback, DynaliteStore } from './dynalite-store.ts';
import { guardedStore } from './guarded-store.ts';
import { patientAnswer } from './patient-answer.ts';

export type Params = Readonly<Record<string, unknown>>;

/** The part of a table's description that keys are made by. */
export interface Schema {
  readonly TableName: string;
  readonly TableArn: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: string }[];
}

/** A request that passed dynalite's validation, with its expressions parsed; good for one `run`. */
export interface Prepared {
  readonly action: string;
  readonly data: object;
}

type Action = (store: DynaliteStore, data: object, done: DynaliteCallback) => void;
interface Validation {
  readonly types: object;
  readonly custom?: unknown;
}

const require = createRequire(import.meta.url);
/** Far above any answer of an in-memory store: reached only when dynalite forgot its callback. */
const patienceMs = 20_000;

export class Engine {
  readonly #store: DynaliteStore;
  #fail: (error: unknown) => void = () => undefined;

  constructor() {
    this.#store = guardedStore((error) => this.#fail(error));
    this.#store.tableDb.awsAccountId = sandboxAccount;
    this.#store.tableDb.awsRegion = sandboxRegion;
  }

  async close(): Promise<void> {
    await this.#store.db.close();
  }

  /** Validates and carries out one of dynalite's actions. */
  async call(action: string, params: Params): Promise<Params> {
    return this.run(this.prepare(action, params));
  }

  prepare(action: string, params: Params): Prepared {
    const validation = require(`dynalite/validations/${fileOf(action)}`) as Validation;
    try {
      // dynalite deletes members it does not know from what it is given.
      const data = checkTypes(structuredClone(params), validation.types);
      checkValidations(data, validation.types, validation.custom, this.#store);
      return { action, data };
    } catch (error) {
      throw asAwsError(error);
    }
  }

  async run(prepared: Prepared): Promise<Params> {
    const action = require(`dynalite/actions/${fileOf(prepared.action)}`) as Action;
    const answer = await this.#answer((done) => action(this.#store, prepared.data, done));
    // TagResource and UntagResource answer with an empty text.
    return typeof answer === 'object' && answer !== null ? (answer as Params) : {};
  }

  /** Whether the condition of a prepared write holds for an item (`undefined`: there is none). */
  holds(prepared: Prepared, item: Item | undefined): boolean {
    try {
      return !checkConditional(prepared.data, item);
    } catch (error) {
      throw asAwsError(error);
    }
  }

  /** The key attributes among `attributes`, or undefined when they do not fit the table's schema. */
  keyOf(schema: Schema, attributes: Item): Item | undefined {
    const key: Record<string, Item[string]> = {};
    for (const { AttributeName } of schema.KeySchema) {
      const value = attributes[AttributeName];
      if (value === undefined || value === null) return undefined;
      key[AttributeName] = value;
    }
    return validateKey(key, schema) ? undefined : key;
  }

  async item(schema: Schema, key: Item): Promise<Item | undefined> {
    const db = this.#store.getItemDb(schema.TableName);
    return (await this.#answer((done) => db.get(createKey(key, schema), done))) as Item | undefined;
  }

  async *items(table: string): AsyncGenerator<Item> {
    let start: unknown;
    do {
      const page = await this.call('Scan', { TableName: table, ExclusiveStartKey: start });
      yield* page['Items'] as Item[];
      start = page['LastEvaluatedKey'];
    } while (start !== undefined);
  }

  async #answer(begin: (done: DynaliteCallback) => void): Promise<unknown> {
    try {
      return await patientAnswer<unknown>(patienceMs, (done, fail) => {
        this.#fail = fail;
        begin(done);
      });
    } catch (error) {
      throw asAwsError(error);
    }
  }
}

function fileOf(action: string): string {
  return `${action.charAt(0).toLowerCase()}${action.slice(1)}.js`;
}

/** dynalite's errors carry the body of the answer; anything else is trouble inside. */
function asAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  const { statusCode, body } = error as { statusCode?: number; body?: Readonly<Record<string, string>> };
  const type = body?.['__type'];
  if (body === undefined || type === undefined) {
    return new AwsError('InternalServerError', error instanceof Error ? error.message : String(error), 500);
  }
  return new AwsError(type.slice(type.indexOf('#') + 1), body['message'] ?? body['Message'] ?? '', statusCode);
}
