/** What all Describe actions share: ids, filters, late reads, pages. */
import { invalidCombination } from './errors.ts';
import { type FilterTable, readFilters } from './filters.ts';
import { type IdKind, unknownId } from './ids.ts';
import type { Item, View } from './lag.ts';
import { cutPage, type PageLimits, readPage } from './paging.ts';
import { list, type Params, text } from './params.ts';
import type { World } from './world.ts';

export interface Listing {
  readonly action: string;
  /** Member of the answer that holds the list. */
  readonly answer: string;
  readonly filters: FilterTable;
  readonly ids?: { readonly parameter: string; readonly kind: IdKind };
  readonly limits?: PageLimits;
  /** The wire's name of the id set, where ids and `MaxResults` exclude each other. */
  readonly idsExcludePages?: string;
}

const usualLimits: PageLimits = { min: 5, max: 1000, unasked: 1000 };

/** Answers a Describe call over all items, in the order given. */
export function describe(
  world: World,
  params: Params,
  items: readonly Item[],
  listing: Listing,
): Record<string, unknown> {
  const { views, nextToken } = describePage(world, params, items, listing);
  return { [listing.answer]: views, NextToken: nextToken };
}

export function describePage(
  world: World,
  params: Params,
  items: readonly Item[],
  listing: Listing,
): { readonly views: readonly View[]; readonly nextToken: string | undefined } {
  const ids = listing.ids === undefined ? [] : list(params, listing.ids.parameter);
  if (listing.idsExcludePages !== undefined && ids.length > 0 && text(params, 'MaxResults') !== undefined) {
    throw invalidCombination(`The parameter ${listing.idsExcludePages} cannot be used with the parameter maxResults`);
  }
  const request = readPage(params, listing.limits ?? usualLimits);
  const matches = readFilters(params, listing.filters);
  const wanted = (id: string, view: View | undefined) =>
    view !== undefined && (ids.length === 0 || ids.includes(id)) && matches(view);

  const shown = world.lags.show(listing.action, items);
  const visible = shown.flatMap(({ id, view }) => (view !== undefined && wanted(id, view) ? [{ id, view }] : []));
  const page = cutPage(visible, request);
  for (const { id, view, current, spend } of shown) {
    const onPage = page.items.some((item) => item.id === id);
    // A resource that a late read hides is on no page; it counts as met by the first one.
    const hidden = !wanted(id, view) && wanted(id, current) && request.after === undefined;
    if (onPage || hidden) spend?.();
  }
  const missing = ids.find((id) => !shown.some((item) => item.id === id && item.view !== undefined));
  if (missing !== undefined && listing.ids !== undefined) throw unknownId(world, listing.ids.kind, missing);
  return { views: page.items.map(({ view }) => view), nextToken: page.nextToken };
}
