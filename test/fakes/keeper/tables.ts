/** The claims and leases tables in memory. Items are stored as plain objects, so that what is read was really written. */
import { type Answer, answerItem } from '../../../shared/domain/answer.ts';
import type { Cidr } from '../../../shared/domain/cidr.ts';
import { type Claim, claimItem } from '../../../shared/domain/claim.ts';
import {
  configItem,
  holderItem,
  leaseItem,
  parseConfigItem,
  parseHolderItem,
  parseLeaseItem,
} from '../../../shared/domain/lease-item.ts';
import type { HolderRecord, LeaseRecord, StoredConfig } from '../../../shared/domain/lease-record.ts';
import type { Book, ClaimStore, LeaseBook, Transaction, Write } from '../../../shared/keeper/ports.ts';
import type { Session } from './faults.ts';

type Item = Record<string, unknown>;

export class FakeClaims {
  readonly claims = new Map<string, unknown>();
  readonly answers = new Map<string, Item>();
  /** Every answer ever written, in order. */
  readonly history: { arn: string; answer: Answer }[] = [];

  write(arn: string, claim: Claim): void {
    this.claims.set(arn, claimItem(claim));
  }

  as(session: Session): ClaimStore {
    return {
      read: (arn) =>
        session.call('claims.read', () =>
          structuredClone({ claim: this.claims.get(arn) ?? null, answer: this.answers.get(arn) ?? null }),
        ),
      writeAnswer: (arn, answer) =>
        session.call('claims.writeAnswer', () => {
          this.answers.set(arn, answerItem(answer));
          this.history.push({ arn, answer });
        }),
    };
  }
}

export class FakeLeases {
  readonly items = new Map<string, Item>();
  /** What each committed transaction changed: key, item before, item after. */
  readonly stream: { key: string; before: Item | undefined; after: Item }[] = [];

  get counter(): number {
    return Number(this.items.get('counter')?.['n'] ?? 0);
  }

  get leases(): LeaseRecord[] {
    return this.#some('lease#').map(parseLeaseItem);
  }

  get holders(): HolderRecord[] {
    return this.#some('holder#').map(parseHolderItem);
  }

  lease(subnet: string): LeaseRecord | null {
    const item = this.items.get(`lease#${subnet}`);
    return item === undefined ? null : parseLeaseItem(item);
  }

  holder(instanceId: string): HolderRecord | null {
    const item = this.items.get(`holder#${instanceId}`);
    return item === undefined ? null : parseHolderItem(item);
  }

  put(item: LeaseRecord | HolderRecord): void {
    if ('eniId' in item) this.items.set(`lease#${item.subnet.text}`, leaseItem(item));
    else this.items.set(`holder#${item.instanceId}`, holderItem(item));
  }

  configure(config: StoredConfig): void {
    this.items.set('config', configItem(config));
  }

  as(session: Session): LeaseBook {
    return {
      readAll: () => session.call('book.readAll', () => this.#readAll()),
      readConfig: () => session.call('book.readConfig', () => this.#config()),
      readHolder: (id) => session.call('book.readHolder', () => this.holder(id)),
      readLease: (subnet: Cidr) => session.call('book.readLease', () => this.lease(subnet.text)),
      commit: (transaction) => session.call('book.commit', () => this.#commit(transaction)),
    };
  }

  #some(prefix: string): Item[] {
    return [...this.items].filter(([key]) => key.startsWith(prefix)).map(([, item]) => item);
  }

  #config(): StoredConfig | null {
    const item = this.items.get('config');
    return item === undefined ? null : parseConfigItem(item);
  }

  #readAll(): Book {
    const leases: LeaseRecord[] = [];
    const holders: HolderRecord[] = [];
    const unreadable: { sortKey: string; problem: string }[] = [];
    for (const [sortKey, item] of this.items) {
      try {
        if (sortKey.startsWith('lease#')) leases.push(parseLeaseItem(item));
        if (sortKey.startsWith('holder#')) holders.push(parseHolderItem(item));
      } catch (error) {
        unreadable.push({ sortKey, problem: (error as Error).message });
      }
    }
    return { config: this.#config(), leases, holders, counter: this.counter, unreadable };
  }

  #commit({ leases = [], holders = [], config, configRevision, counter }: Transaction): 'done' | 'conflict' {
    const version = (key: string, name: string) => (this.items.get(key)?.[name] as number | undefined) ?? null;
    const fits = ({ expected }: Write<unknown>, key: string, name = 'version') => version(key, name) === expected;
    const isDamaged = this.items.has('config') && this.#config()?.revision === 0;
    const isFresh =
      leases.every((write) => fits(write, `lease#${write.item.subnet.text}`)) &&
      holders.every((write) => fits(write, `holder#${write.item.instanceId}`)) &&
      (config === undefined || fits(config, 'config', 'revision') || (config.expected === 0 && isDamaged)) &&
      (configRevision === undefined || version('config', 'revision') === configRevision) &&
      (counter === undefined || this.counter === counter);
    if (!isFresh) return 'conflict';
    const put = (key: string, after: Item) => {
      this.stream.push({ key, before: this.items.get(key), after });
      this.items.set(key, after);
    };
    for (const { item } of leases) put(`lease#${item.subnet.text}`, leaseItem(item));
    for (const { item } of holders) put(`holder#${item.instanceId}`, holderItem(item));
    if (config !== undefined) this.items.set('config', configItem(config.item));
    if (leases.length > 0) this.items.set('counter', { n: this.counter + 1 });
    return 'done';
  }
}
