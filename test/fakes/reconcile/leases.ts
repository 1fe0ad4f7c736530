/** The leases of a network in memory. */
import type { Lease } from '../../../shared/domain/lease.ts';
import type { StoredConfig } from '../../../shared/domain/lease-record.ts';
import type { Leases, LeasesRead } from '../../../shared/reconcile/ports.ts';
import { Faults } from './faults.ts';

export class FakeLeases implements Leases {
  readonly faults = new Faults();
  config: StoredConfig | null = null;
  counter = 0;
  unreadable: { readonly sortKey: string; readonly problem: string }[] = [];
  /** Reads so far, whole ones and those of the counter. */
  reads = 0;
  readonly #leases = new Map<string, Lease>();

  configure(config: object, revision = (this.config?.revision ?? 0) + 1): void {
    this.config = { text: JSON.stringify(config), revision, appliedAt: 1_793_491_200 };
  }

  /** Puts leases, each in place of the one of its subnet; all together are one change of the counter. */
  put(...leases: readonly Lease[]): void {
    for (const lease of leases) this.#leases.set(lease.subnet.text, lease);
    this.counter += 1;
  }

  /** As if the item had never been; a keeper does not do this, a restore does. */
  drop(...subnets: readonly string[]): void {
    for (const subnet of subnets) this.#leases.delete(subnet);
    this.counter += 1;
  }

  get all(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  readAll(): Promise<LeasesRead> {
    this.reads += 1;
    return this.faults.run('Query', 'leases', () => ({
      config: this.config,
      leases: structuredClone(this.all),
      counter: this.counter,
      unreadable: this.unreadable,
    }));
  }

  readCounter(): Promise<number> {
    this.reads += 1;
    return this.faults.run('GetItem', 'counter', () => this.counter);
  }
}
