/** TTL: which items are past their time, and their removal by the service itself. */
import { AwsError } from '../service.ts';
import type { Item } from './attribute-value.ts';
import { recordChanges } from './changes.ts';
import type { Params } from './engine.ts';
import type { UserIdentity } from './stream-record.ts';
import type { Table } from './tables.ts';
import type { World } from './world.ts';

const ttlIdentity: UserIdentity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
/** DynamoDB takes a time further back than five years for a mistake and keeps the item. */
const oldestSeconds = 5 * 365.25 * 24 * 3600;

/** `attribute` must be a Number: seconds since the epoch; `now` is in milliseconds. */
function isExpired(item: Item, attribute: string, now: number): boolean {
  const value = item[attribute];
  if (value === undefined || !('N' in value)) return false;
  const age = now / 1000 - Number(value.N);
  return age > 0 && age <= oldestSeconds;
}

/** Removes the expired items of one table and returns how many there were. */
export async function removeExpired(world: World, table: Table): Promise<number> {
  const { engine, clock } = world;
  const attribute = table.ttlAttribute;
  if (attribute === undefined) return 0;
  const keys: Item[] = [];
  for await (const item of engine.items(table.name)) {
    const key = isExpired(item, attribute, clock.now()) ? engine.keyOf(table.schema, item) : undefined;
    if (key !== undefined) keys.push(key);
  }
  for (const key of keys) {
    const remove = () => engine.call('DeleteItem', { TableName: table.name, Key: key });
    await recordChanges(world, [{ table, key }], remove, ttlIdentity);
  }
  return keys.length;
}

export function updateTimeToLive(world: World, params: Params): Params {
  const table = world.tables.get(params['TableName']);
  const { AttributeName, Enabled } = (params['TimeToLiveSpecification'] ?? {}) as Params;
  if (typeof AttributeName !== 'string' || typeof Enabled !== 'boolean') {
    throw new AwsError('ValidationException', 'TimeToLiveSpecification needs AttributeName and Enabled');
  }
  if (Enabled && table.ttlAttribute !== undefined) {
    throw new AwsError('ValidationException', 'TimeToLive is already enabled');
  }
  if (!Enabled && table.ttlAttribute === undefined) {
    throw new AwsError('ValidationException', 'TimeToLive is already disabled');
  }
  table.ttlAttribute = Enabled ? AttributeName : undefined;
  return { TimeToLiveSpecification: { AttributeName, Enabled } };
}

export function describeTimeToLive(world: World, params: Params): Params {
  const { ttlAttribute } = world.tables.get(params['TableName']);
  return {
    TimeToLiveDescription:
      ttlAttribute === undefined
        ? { TimeToLiveStatus: 'DISABLED' }
        : { TimeToLiveStatus: 'ENABLED', AttributeName: ttlAttribute },
  };
}
