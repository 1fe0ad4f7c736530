/** Reading lists to their last page, or not at all. */
import { Refusal } from '../reconcile/ports.ts';

/** EC2 takes at most 200 values in a filter. */
const mostFilterValues = 200;

/** Far above what a VPC can hold: an answer that goes on for longer goes on for ever. */
const mostPages = 1_000;

export interface Page<Item> {
  /** Undefined: the answer had no list in it, which is not the same as an empty one. */
  readonly items: readonly Item[] | undefined;
  readonly next: string | undefined;
}

/**
 * All items of all pages.
 *
 * @throws Refusal `transient` when a page has no list or the pages go round in a circle; a page that fails throws as it is.
 */
export async function allPages<Item>(
  action: string,
  page: (token: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  let token: string | undefined;
  do {
    const { items: more, next } = await page(token);
    if (more === undefined) throw unreadable(action, 'the answer holds no list');
    items.push(...more);
    // EC2 may say that there is no next page with an empty token.
    token = next === '' ? undefined : next;
    if (token !== undefined && (seen.has(token) || seen.size >= mostPages)) {
      throw unreadable(action, 'the pages go round in a circle');
    }
    if (token !== undefined) seen.add(token);
  } while (token !== undefined);
  return items;
}

/** Ids once each, in lists that fit into one filter. */
export function filterChunks(ids: readonly string[]): string[][] {
  const distinct = [...new Set(ids)];
  const chunks: string[][] = [];
  for (let at = 0; at < distinct.length; at += mostFilterValues) chunks.push(distinct.slice(at, at + mostFilterValues));
  return chunks;
}

export function unreadable(action: string, problem: string, cause?: unknown): Refusal {
  return new Refusal('transient', action, 'UnreadableAnswer', problem, cause === undefined ? {} : { cause });
}
