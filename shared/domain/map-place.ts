/** Where a map stands in time: readers take a higher revision of their epoch, or a newer epoch, and nothing else. */
import type { NetworkMap } from './map.ts';

export type MapPlace = Pick<NetworkMap, 'epoch' | 'revision'>;

/** Whether a reader that has `b` leaves `a` alone for being older. */
export function isEarlier(a: MapPlace, b: MapPlace): boolean {
  return a.epoch === b.epoch ? a.revision < b.revision : a.epoch < b.epoch;
}
