/** The `counter` item of the `leases` table: it grows with every change of a lease. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { InvalidInput } from '../domain/invalid-input.ts';
import { Refusal } from '../reconcile/ports.ts';
import { call } from './call.ts';
import { isConditionFailed } from './error-meanings.ts';
import type { Key } from './keys.ts';
import { getItem, type Item, type TableOptions } from './table.ts';

const field = 'counter.n';

/** 0 where there is no item. @throws InvalidInput that names the field, for an item that counts nothing */
export function counterOf(item: Item | null): number {
  if (item === null) return 0;
  const { n } = item;
  if (typeof n !== 'number' || !Number.isSafeInteger(n)) throw new InvalidInput(field, n, 'is no whole number');
  return n;
}

/** Whether a damaged counter may be behind it: it cannot be read, and a transaction cannot add to it. */
export function mayBeCounter(error: unknown): boolean {
  return error instanceof InvalidInput
    ? error.field === field
    : error instanceof Refusal && error.action === 'TransactWriteItems' && error.meaning === 'invalid';
}

/**
 * Counts from 0 again where the item counts nothing. No lease can have moved meanwhile, for each writing of one adds to the
 * counter; and to the sync, which has seen a higher one, it says what a deleted item says: trust no absence. One that counts stays.
 */
export async function mendCounter(table: TableOptions, key: Key): Promise<void> {
  const item = await getItem(table, key);
  try {
    counterOf(item);
    return;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
  }
  const n = item?.['n'];
  // Another keeper may have mended it: only what counts nothing is overwritten. A fraction lies between the bounds.
  const isFraction = typeof n === 'number' && Math.abs(n) < Number.MAX_SAFE_INTEGER;
  const command = new UpdateCommand({
    TableName: table.tableName,
    Key: { ...key },
    UpdateExpression: 'SET n = :first',
    ConditionExpression: isFraction ? 'n = :read' : 'NOT (n BETWEEN :least AND :most)',
    ExpressionAttributeValues: {
      ':first': 0,
      ...(isFraction ? { ':read': n } : { ':least': Number.MIN_SAFE_INTEGER, ':most': Number.MAX_SAFE_INTEGER }),
    },
  });
  try {
    await call('UpdateItem', table, (http) => table.client.send(command, http));
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
  }
}
