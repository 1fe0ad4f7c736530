/** Publishes the map when its content changed, at most once in two seconds. */

import type { MapContent, NetworkMap } from '../domain/map.ts';
import { sameContent } from '../domain/map-content.ts';
import type { Clock, MapStore } from './ports.ts';

/** DynamoDB takes the head in one item; agents poll every 5 s, so more would only cost. */
const leastIntervalMs = 2000;

export interface Published {
  readonly map: NetworkMap | null | 'damaged';
  /** Epoch milliseconds of the last publishing. */
  readonly publishedAt: number;
  /**
   * Null: the map is the latest that nodes can have. Else it may be an older one, and the next, which goes out whatever its
   * content, takes a newer epoch than its own, and at least this one.
   */
  readonly leastEpoch: number | null;
}

/** `content` is made from the map that is out, because what the guard holds keeps its last value. */
export async function publishMap(
  content: (previous: NetworkMap | null) => MapContent,
  last: Published,
  maps: MapStore,
  clock: Clock,
): Promise<Published> {
  let previous = last.map;
  const out = (map: NetworkMap): Published => ({ map, publishedAt: clock.now(), leastEpoch: null });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const next = content(previous === 'damaged' ? null : previous);
    if (previous === 'damaged') return out(await maps.replaceDamaged(next, clock.now()));
    const leastEpoch = epochOf(previous) === epochOf(last.map) ? last.leastEpoch : null;
    if (previous !== null && leastEpoch === null && sameContent(previous, next)) {
      return { map: previous, publishedAt: last.publishedAt, leastEpoch };
    }
    const wait = last.publishedAt + leastIntervalMs - clock.now();
    if (wait > 0) await clock.sleep(wait);
    const published =
      previous === null || leastEpoch === null
        ? await maps.publish(next, previous, clock.now())
        : await maps.renew(next, previous, Math.max(clock.now(), leastEpoch));
    if (published !== 'conflict') return out(published);
    // Only syncs publish, one at a time: the head is another one when our own last answer was lost.
    previous = await maps.read();
  }
  throw new Error('the head of the map moved three times under the lock');
}

function epochOf(map: Published['map']): number | null {
  return map === null || map === 'damaged' ? null : map.epoch;
}
