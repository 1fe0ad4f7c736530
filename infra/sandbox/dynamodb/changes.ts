/** Turns what a piece of work did to items into stream records. */
import { type Item, sameItem } from './attribute-value.ts';
import type { UserIdentity } from './stream-record.ts';
import type { Table } from './tables.ts';
import type { World } from './world.ts';

export interface Touched {
  readonly table: Table;
  readonly key: Item;
}

/**
 * Runs `work`, which may write the touched items and no others, and appends a record for each item that it changed.
 *
 * Comparing images rather than trusting the request is what makes a write without effect and a rolled-back transaction
 * leave no record, whatever way they went.
 */
export async function recordChanges<T>(
  world: World,
  touched: readonly Touched[],
  work: () => Promise<T>,
  userIdentity?: UserIdentity,
): Promise<T> {
  const { engine, streams } = world;
  const watched = touched.filter(({ table }) => streams.current(table.name) !== undefined);
  const images = () => Promise.all(watched.map(({ table, key }) => engine.item(table.schema, key)));
  const before = await images();
  try {
    return await work();
  } finally {
    const after = await images();
    for (const [index, { table, key }] of watched.entries()) {
      if (sameItem(before[index], after[index])) continue;
      const change = { keys: key, before: before[index], after: after[index] };
      streams.append(table.name, userIdentity === undefined ? change : { ...change, userIdentity });
    }
  }
}
