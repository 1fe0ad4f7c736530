/** Free places in a row of numbered ones, of which there may be billions. */

/** Both ends included. */
export interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

/** What is left of `range` when all of `taken` is cut out: sorted, disjoint. */
export function gaps(range: Span, taken: readonly Span[]): Span[] {
  const sorted = [...taken].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const free: Span[] = [];
  let next = range.first;
  for (const { first, last } of sorted) {
    if (first > range.last) break;
    if (first > next) free.push({ first: next, last: first - 1n });
    if (last >= next) next = last + 1n;
  }
  if (next <= range.last) free.push({ first: next, last: range.last });
  return free;
}

export function sizeOf(spans: readonly Span[]): bigint {
  return spans.reduce((sum, { first, last }) => sum + (last - first + 1n), 0n);
}

/** The place number `at` (from 0) among those of the spans, counted round; null when there is none. */
export function placeAt(spans: readonly Span[], at: bigint): bigint | null {
  const size = sizeOf(spans);
  if (size === 0n) return null;
  let left = at % size;
  for (const { first, last } of spans) {
    const length = last - first + 1n;
    if (left < length) return first + left;
    left -= length;
  }
  return null;
}
