/**
 * `Filter.N`: AND across filters, OR within one, case-sensitive, `*` and `?` as wildcards.
 *
 * Source: the EC2 user guide on listing and filtering. Of the two published readings of the value limit the tighter one is held.
 */
import { AwsError } from '../service.ts';
import { invalidParameter, missingParameter } from './errors.ts';
import type { View } from './lag.ts';
import { list, type Params, structures, text } from './params.ts';

/** What each filter name looks at: a scalar, a list of scalars, or nothing. */
export type FilterTable = Readonly<Record<string, (view: View) => unknown>>;

export type Matcher = (view: View) => boolean;

const most = { filters: 50, values: 200, length: 255 };

export function readFilters(params: Params, table: FilterTable): Matcher {
  const given = structures(params, 'Filter');
  const values = given.flatMap((filter) => list(filter, 'Value'));
  if (given.length > most.filters) throw tooMany(`filters specified on a single call is ${most.filters}`);
  if (values.length > most.values) throw tooMany(`filter values specified on a single call is ${most.values}`);
  const matchers = given.map((filter) => readFilter(filter, table));
  return (view) => matchers.every((matches) => matches(view));
}

const tooMany = (what: string) => new AwsError('FilterLimitExceeded', `The maximum number of ${what}`);

function readFilter(filter: Params, table: FilterTable): Matcher {
  const name = text(filter, 'Name');
  if (name === undefined) throw missingParameter('Filter.Name');
  const look = lookAt(name, table);
  if (look === undefined) throw invalidParameter(`The filter '${name}' is invalid`);
  const values = list(filter, 'Value');
  if (values.length === 0) throw missingParameter('Filter.Value');
  const long = values.find((value) => value.length > most.length);
  if (long !== undefined) throw invalidParameter(`Filter value must not be longer than ${most.length} characters`);
  const patterns = values.map(pattern);
  return (view) => scalars(look(view)).some((found) => patterns.some((candidate) => candidate.test(found)));
}

function lookAt(name: string, table: FilterTable): ((view: View) => unknown) | undefined {
  if (name === 'tag-key') return (view) => tagsOf(view).map(({ Key }) => Key);
  if (name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return (view) => tagsOf(view).flatMap((tag) => (tag.Key === key ? [tag.Value] : []));
  }
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

const tagsOf = (view: View) => (view['Tags'] ?? view['TagSet'] ?? []) as readonly { Key: string; Value: string }[];

function scalars(found: unknown): readonly string[] {
  if (found === undefined || found === null) return [];
  return (Array.isArray(found) ? found : [found]).filter((item) => item !== undefined).map(String);
}

/** A backslash takes the wildcard after it literally. */
function pattern(value: string): RegExp {
  const source = value.replace(/\\?[\s\S]/g, (piece) => {
    if (piece === '*') return '[\\s\\S]*';
    if (piece === '?') return '[\\s\\S]';
    const literal = piece.length === 2 ? piece.slice(1) : piece;
    return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 'u');
}
