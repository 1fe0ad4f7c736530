/** The map over one pass: published before the first write where nodes have paths of their own, and after the last. */
import type { NetworkMap } from '../domain/map.ts';
import { mapContent } from '../domain/map-content.ts';
import type { RouteTable } from '../domain/route.ts';
import type { RoutedState } from '../domain/routed-in.ts';
import type { PassInput } from './pass-input.ts';
import { type Published, publishMap } from './publish-map.ts';
import type { MapHold } from './table-run.ts';

/** A reading of the VPC's tables and what it confirms. */
export interface MapReading {
  readonly tables: readonly RouteTable[];
  readonly isWholeVpc: boolean;
  readonly routed: RoutedState;
}

export class PassMap {
  /** Listed tables that were complete at least once. */
  readonly filled: Set<string>;
  readonly #input: PassInput;
  readonly #listedTableIds: readonly string[];
  #published: Published;
  #held: MapHold = { leases: 0, digest: null, isForced: false };

  constructor(input: PassInput, listedTableIds: readonly string[]) {
    const { before, picture, isPutBack } = input;
    this.#input = input;
    this.#listedTableIds = listedTableIds;
    const leastEpoch = isPutBack ? (before.mapPlace?.epoch ?? 0) + 1 : null;
    this.#published = { map: picture.out, publishedAt: before.publishedAt, leastEpoch };
    this.filled = new Set(Object.entries(before.tables).flatMap(([id, table]) => (table.filled ? [id] : [])));
  }

  get map(): NetworkMap | null {
    return this.#published.map === 'damaged' ? null : this.#published.map;
  }

  get publishedAt(): number {
    return this.#published.publishedAt;
  }

  get held(): MapHold {
    return this.#held;
  }

  async publish({ tables, isWholeVpc, routed }: MapReading): Promise<void> {
    const { deps, picture, plan, request, distrust } = this.#input;
    const content = (previous: NetworkMap | null) => {
      const result = mapContent({
        network: deps.network,
        config: picture.rawConfig,
        rules: picture.config,
        previous,
        leases: picture.leases.leases,
        refused: new Set(plan.sorted.refused.keys()),
        unreadable: new Set(picture.leases.unreadable.map(({ sortKey }) => sortKey)),
        listedTableIds: this.#listedTableIds,
        tables: this.#listedTableIds.length === 0 ? [] : tables,
        isWholeVpc,
        filled: this.filled,
        routed,
        distrust,
        force: request.force,
        isForced: request.force !== null && request.force === plan.guard.digest,
      });
      // Once published, they are no longer in the map that the next publishing looks at.
      const isForced = this.#held.isForced || result.isForced;
      this.#held = { leases: result.held.length, digest: result.digest, isForced };
      return result.content;
    };
    this.#published = await publishMap(content, this.#published, deps.maps, deps.clock);
  }
}
