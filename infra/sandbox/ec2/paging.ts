/** `MaxResults` and `NextToken`: a token names the last item shown, and holds only for the query that gave it. */
import { createHash } from 'node:crypto';
import { AwsError } from '../service.ts';
import { invalidParameter } from './errors.ts';
import { integer, type Params, text } from './params.ts';

export interface PageLimits {
  readonly min: number;
  readonly max: number;
  /** Items per page when the caller names no number. */
  readonly unasked: number;
}

export interface PageRequest {
  readonly size: number;
  readonly after: { readonly id: string; readonly index: number } | undefined;
  readonly query: string;
}

export function readPage(params: Params, limits: PageLimits): PageRequest {
  const size = integer(params, 'MaxResults') ?? limits.unasked;
  if (size < limits.min) throw outside(size, `greater than ${limits.min}`);
  if (size > limits.max) throw outside(size, `less than or equal to ${limits.max}`);
  const query = queryDigest(params);
  const token = text(params, 'NextToken');
  return { size, query, after: token === undefined ? undefined : readToken(token, query) };
}

const outside = (size: number, bound: string) =>
  invalidParameter(`Value ( ${size} ) for parameter maxResults is invalid. Expecting a value ${bound}.`);

/** The page size may change from page to page, what is asked for may not. */
function queryDigest(params: Params): string {
  const { NextToken: _token, MaxResults: _size, ...query } = params;
  const sorted = Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 12);
}

function readToken(token: string, query: string): { id: string; index: number } {
  const [digest, index = '', id = '', ...rest] = Buffer.from(token, 'base64url').toString('utf8').split('\n');
  if (digest !== query || !/^\d+$/.test(index) || id === '' || rest.length > 0) {
    throw new AwsError('InvalidNextToken', `The token '${token}' is invalid.`);
  }
  return { id, index: Number(index) };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextToken: string | undefined;
}

export function cutPage<Item extends { readonly id: string }>(all: readonly Item[], request: PageRequest): Page<Item> {
  const start = startOf(all, request);
  const items = all.slice(start, start + request.size);
  const last = items.at(-1);
  const more = last !== undefined && start + items.length < all.length;
  const token = more ? [request.query, start + items.length - 1, last.id].join('\n') : undefined;
  return { items, nextToken: token === undefined ? undefined : Buffer.from(token).toString('base64url') };
}

/** After the last item shown; where that one has gone meanwhile, at its old place. */
function startOf(all: readonly { readonly id: string }[], { after }: PageRequest): number {
  if (after === undefined) return 0;
  const found = all.findIndex(({ id }) => id === after.id);
  return found === -1 ? after.index : found + 1;
}
