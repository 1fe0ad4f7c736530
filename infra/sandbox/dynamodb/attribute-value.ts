/** DynamoDB's JSON form of values and items as it travels on the wire: binary is base64 text, numbers are text. */
import { isDeepStrictEqual } from 'node:util';

type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Item }
  | { readonly BOOL: boolean }
  | { readonly NULL: true };

export type Item = Readonly<Record<string, AttributeValue>>;

/** Whether two images hold the same data; sets are equal whatever the order of their members. */
export function sameItem(a: Item | undefined, b: Item | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return isDeepStrictEqual(canonicalItem(a), canonicalItem(b));
}

function canonicalItem(item: Item): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, canonicalValue(value)]));
}

function canonicalValue(value: AttributeValue): AttributeValue {
  if ('SS' in value) return { SS: value.SS.toSorted() };
  if ('NS' in value) return { NS: value.NS.toSorted() };
  if ('BS' in value) return { BS: value.BS.toSorted() };
  if ('L' in value) return { L: value.L.map(canonicalValue) };
  if ('M' in value) return { M: canonicalItem(value.M) };
  return value;
}
