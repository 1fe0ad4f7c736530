/** The `leases` table, for the keeper who writes it and for the sync that reads it. */
import { InvalidInput } from '../domain/invalid-input.ts';
import { parseConfigItem, parseHolderItem, parseLeaseItem } from '../domain/lease-item.ts';
import type { HolderRecord, LeaseRecord, StoredConfig } from '../domain/lease-record.ts';
import type { Book, LeaseBook } from '../keeper/ports.ts';
import { type Leases, Refusal } from '../reconcile/ports.ts';
import { backoff } from './backoff.ts';
import { systemClock } from './clock.ts';
import { holderPrefix, holderSortKey, leasePrefix, leaseSortKey, networkKey } from './keys.ts';
import { commit } from './lease-commit.ts';
import { counterOf, mayBeCounter, mendCounter } from './lease-counter.ts';
import { getItem, type Item, queryAll, type TableOptions } from './table.ts';

/** Readings of a table in which leases move all the time. */
const mostReadings = 8;

export interface LeaseBookOptions extends TableOptions {
  readonly network: string;
  /** The keeper's book: a counter that counts nothing is mended. The sync may not write, and fails by its name. */
  readonly mends?: boolean;
}

export function dynamoLeaseBook(options: LeaseBookOptions): LeaseBook & Leases {
  const pk = networkKey(options.network);
  const clock = systemClock(options);

  const readConfig = async (): Promise<StoredConfig | null> => {
    const item = await getItem(options, { pk, sk: 'config' });
    return item === null ? null : parseConfigItem(item);
  };
  const counterKey = { pk, sk: 'counter' };
  const readCounter = async (): Promise<number> => counterOf(await getItem(options, counterKey));
  const withMending = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (options.mends !== true || !mayBeCounter(error)) throw error;
      await mendCounter(options, counterKey);
      return work();
    }
  };
  const readAll = async (): Promise<Book> => {
    // A query sees each item as of its own moment, also within one page, and may see half of a transaction. `counter`
    // sorts before `holder#` and `lease#`, so the query reads it first: if it still stands afterwards, nothing moved.
    for (let reading = 1; reading <= mostReadings; reading += 1) {
      const book = bookOf(await queryAll(options, pk));
      if ((await readCounter()) === book.counter) return book;
      await clock.sleep(backoff(reading, 50, 1_000));
    }
    throw new Refusal('transient', 'Query', 'LeasesMove', `leases moved during each of ${mostReadings} readings`);
  };

  return {
    readConfig,
    readCounter,
    readAll: () => withMending(readAll),
    readHolder: async (instanceId) => {
      const item = await getItem(options, { pk, sk: holderSortKey(instanceId) });
      return item === null ? null : parseHolderItem(item);
    },
    readLease: async (subnet) => {
      const item = await getItem(options, { pk, sk: leaseSortKey(subnet) });
      return item === null ? null : parseLeaseItem(item);
    },
    commit: (transaction) => withMending(() => commit(options, pk, transaction)),
  };
}

function bookOf(items: readonly Item[]): Book {
  let config: StoredConfig | null = null;
  let counter = 0;
  const leases: LeaseRecord[] = [];
  const holders: HolderRecord[] = [];
  const unreadable: { sortKey: string; problem: string }[] = [];
  for (const item of items) {
    const sortKey = String(item['sk']);
    if (sortKey === 'counter') counter = counterOf(item);
    else if (sortKey === 'config') config = parseConfigItem(item);
    else {
      try {
        if (sortKey.startsWith(leasePrefix)) leases.push(named(sortKey, leaseSortKey, parseLeaseItem(item)));
        else if (sortKey.startsWith(holderPrefix)) holders.push(heldBy(sortKey, parseHolderItem(item)));
        else throw new InvalidInput('sk', sortKey, 'is no key of this table');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        unreadable.push({ sortKey, problem: error.message });
      }
    }
  }
  return { config, counter, leases, holders, unreadable };
}

/** An item under another's key would hold a subnet twice. */
function named(sortKey: string, keyOf: typeof leaseSortKey, lease: LeaseRecord): LeaseRecord {
  if (keyOf(lease.subnet) !== sortKey) throw new InvalidInput('lease.subnet', lease.subnet.text, `is under ${sortKey}`);
  return lease;
}

function heldBy(sortKey: string, holder: HolderRecord): HolderRecord {
  if (holderSortKey(holder.instanceId) === sortKey) return holder;
  throw new InvalidInput('holder.instanceId', holder.instanceId, `is under ${sortKey}`);
}
