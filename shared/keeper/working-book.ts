/** The book of leases while the keeper works with it: one read, then kept up with the keeper's own commits. */
import { type Cidr, tryParseCidr } from '../domain/cidr.ts';
import type { HolderRecord, LeaseRecord, StoredConfig } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { parseNetworkConfig } from '../domain/parse-network-config.ts';
import type { Book, Transaction } from './ports.ts';

export interface WorkingBook {
  /** Null: none was applied, or it cannot be read; `configProblem` says which. */
  readonly config: NetworkConfig | null;
  readonly configProblem: string;
  readonly stored: StoredConfig | null;
  /** That of `stored`; 0 where there is none. */
  readonly configRevision: number;
  readonly leases: ReadonlyMap<string, LeaseRecord>;
  readonly holders: ReadonlyMap<string, HolderRecord>;
  /** Subnets of lease items that do not validate, and instances of such holder items. */
  readonly unreadableSubnets: readonly Cidr[];
  readonly unreadableHolders: ReadonlySet<string>;
}

export function openBook(book: Book): WorkingBook {
  const suffixes = (prefix: string) =>
    book.unreadable.flatMap(({ sortKey }) => (sortKey.startsWith(prefix) ? [sortKey.slice(prefix.length)] : []));
  return {
    ...readStoredConfig(book.config?.text ?? null),
    stored: book.config,
    configRevision: book.config?.revision ?? 0,
    leases: new Map(book.leases.map((lease) => [lease.subnet.text, lease])),
    holders: new Map(book.holders.map((holder) => [holder.instanceId, holder])),
    unreadableSubnets: suffixes('lease#').flatMap((text) => tryParseCidr(text) ?? []),
    unreadableHolders: new Set(suffixes('holder#')),
  };
}

/** The book after a transaction that was committed. */
export function withCommitted(book: WorkingBook, { leases = [], holders = [] }: Transaction): WorkingBook {
  return {
    ...book,
    leases: new Map([...book.leases, ...leases.map(({ item }): [string, LeaseRecord] => [item.subnet.text, item])]),
    holders: new Map([...book.holders, ...holders.map(({ item }): [string, HolderRecord] => [item.instanceId, item])]),
  };
}

/** A configuration that this version cannot read stops grants and leaves everything else as it is. */
export function readStoredConfig(text: string | null): Pick<WorkingBook, 'config' | 'configProblem'> {
  if (text === null) return { config: null, configProblem: 'no network configuration was applied yet' };
  try {
    return { config: parseNetworkConfig(text), configProblem: '' };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { config: null, configProblem: `the stored network configuration cannot be read: ${problem}` };
  }
}
