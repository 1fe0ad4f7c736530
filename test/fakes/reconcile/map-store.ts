/** The published map in memory. */
import { type MapContent, mapSchema, type NetworkMap } from '../../../shared/domain/map.ts';
import type { MapStore } from '../../../shared/reconcile/ports.ts';
import { Faults } from './faults.ts';

export class FakeMapStore implements MapStore {
  readonly faults = new Faults();
  /** Every map ever published, in order. */
  readonly published: NetworkMap[] = [];
  /** Called before a publishing is looked at: what another sync does meanwhile. */
  onPublish: () => void = () => {};

  get current(): NetworkMap | null {
    return this.published.at(-1) ?? null;
  }

  /** As if a part were missing. */
  isDamaged = false;

  read(): Promise<NetworkMap | null | 'damaged'> {
    return this.faults.run('GetItem', 'map', () => (this.isDamaged ? 'damaged' : structuredClone(this.current)));
  }

  replaceDamaged(content: MapContent, epoch: number): Promise<NetworkMap> {
    return this.faults.run('PutItem', 'map', () => {
      this.isDamaged = false;
      const newer = Math.max(epoch, (this.current?.epoch ?? 0) + 1);
      const { network, config, tables, leases } = structuredClone(content);
      const map = { schema: mapSchema, epoch: newer, revision: 1, network, config, tables, leases };
      this.published.push(map);
      return structuredClone(map);
    });
  }

  publish(content: MapContent, previous: NetworkMap | null, epoch: number): Promise<NetworkMap | 'conflict'> {
    return this.#put(content, previous, (current) => current?.epoch ?? epoch);
  }

  renew(content: MapContent, previous: NetworkMap, epoch: number): Promise<NetworkMap | 'conflict'> {
    return this.#put(content, previous, (current) => Math.max(epoch, (current?.epoch ?? 0) + 1));
  }

  #put(
    content: MapContent,
    previous: NetworkMap | null,
    epochAfter: (current: NetworkMap | null) => number,
  ): Promise<NetworkMap | 'conflict'> {
    return this.faults.run('PutItem', 'map', () => {
      this.onPublish();
      const { current } = this;
      if (current?.epoch !== previous?.epoch || current?.revision !== previous?.revision) return 'conflict';
      // Field by field: what is no part of the content is not kept by the real store either.
      const { network, config, tables, leases } = structuredClone(content);
      const place = { schema: mapSchema, epoch: epochAfter(current), revision: (current?.revision ?? 0) + 1 };
      const map = { ...place, network, config, tables, leases };
      this.published.push(map);
      return structuredClone(map);
    });
  }
}
