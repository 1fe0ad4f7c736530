/** The tables and what dynalite does not keep about them. */
import { AwsError } from '../service.ts';
import type { Schema } from './engine.ts';

export interface Table {
  readonly name: string;
  readonly arn: string;
  readonly schema: Schema;
  /** Milliseconds since the epoch, sandbox clock. */
  readonly createdAt: number;
  ttlAttribute: string | undefined;
  /** When point-in-time recovery was switched on, milliseconds since the epoch. */
  recoverableSince: number | undefined;
  encryptedByKey: string | undefined;
  protectedFromDeletion: boolean;
  tableClass: string | undefined;
}

export class Tables {
  readonly #byName = new Map<string, Table>();

  add(schema: Schema, createdAt: number): Table {
    const table: Table = {
      name: schema.TableName,
      arn: schema.TableArn,
      schema,
      createdAt,
      ttlAttribute: undefined,
      recoverableSince: undefined,
      encryptedByKey: undefined,
      protectedFromDeletion: false,
      tableClass: undefined,
    };
    this.#byName.set(table.name, table);
    return table;
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }

  all(): readonly Table[] {
    return [...this.#byName.values()];
  }

  /** Tables are named by name or ARN. */
  find(nameOrArn: unknown): Table | undefined {
    const text = String(nameOrArn);
    return this.#byName.get(text.slice(text.lastIndexOf('/') + 1));
  }

  get(nameOrArn: unknown): Table {
    const table = this.find(nameOrArn);
    if (table === undefined) throw new AwsError('ResourceNotFoundException', 'Requested resource not found');
    return table;
  }
}
