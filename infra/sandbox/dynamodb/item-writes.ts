/** PutItem, UpdateItem, DeleteItem and BatchWriteItem: dynalite's, with stream records and the item of a failed condition. */
import { AwsError } from '../service.ts';
import type { Item } from './attribute-value.ts';
import { recordChanges, type Touched } from './changes.ts';
import type { Params } from './engine.ts';
import type { World } from './world.ts';

export async function writeItem(world: World, action: string, params: Params): Promise<Params> {
  const { engine } = world;
  const wantsItem = wantsOldItem(params);
  const touched = touchedItem(world, params['TableName'], params['Key'] ?? params['Item']);
  try {
    return await recordChanges(world, touched, () => engine.call(action, params));
  } catch (error) {
    const [item] = touched;
    if (!wantsItem || item === undefined || !(error instanceof AwsError)) throw error;
    if (error.code !== 'ConditionalCheckFailedException') throw error;
    const found = await engine.item(item.table.schema, item.key);
    throw found === undefined ? error : new AwsError(error.code, error.message, error.status, { Item: found });
  }
}

export async function batchWrite(world: World, params: Params): Promise<Params> {
  const touched: Touched[] = [];
  for (const [tableName, writes] of Object.entries(params['RequestItems'] ?? {})) {
    if (!Array.isArray(writes)) continue;
    for (const write of writes) {
      touched.push(...touchedItem(world, tableName, write?.PutRequest?.Item ?? write?.DeleteRequest?.Key));
    }
  }
  return recordChanges(world, touched, () => world.engine.call('BatchWriteItem', params));
}

/** Whether a failed condition shall be answered with the item (`ReturnValuesOnConditionCheckFailure: ALL_OLD`). */
export function wantsOldItem(params: Params): boolean {
  const value = params['ReturnValuesOnConditionCheckFailure'];
  if (value === undefined || value === null || value === 'NONE') return false;
  if (value === 'ALL_OLD') return true;
  throw new AwsError(
    'ValidationException',
    `1 validation error detected: Value '${value}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
  );
}

/** Nothing when table or key are wrong: dynalite then says so, and writes nothing. */
function touchedItem(world: World, tableName: unknown, attributes: unknown): readonly Touched[] {
  const table = world.tables.find(tableName);
  if (table === undefined || typeof attributes !== 'object' || attributes === null) return [];
  const key = world.engine.keyOf(table.schema, attributes as Item);
  return key === undefined ? [] : [{ table, key }];
}
