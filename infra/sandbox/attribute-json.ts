import type { Item } from './dynamodb/attribute-value.ts';
import { isRecord, type Params } from './params.ts';

type AttributeValue = Item[string];

/** Plain JSON as DynamoDB's attribute values. */
export function toItem(value: Params): Item {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toAttribute(member)]));
}

function toAttribute(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  return isRecord(value) ? { M: toItem(value) } : { NULL: true };
}

/** The reverse; sets become lists. */
export function fromItem(item: Item): Params {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]));
}

function fromAttribute(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('L' in value) return value.L.map(fromAttribute);
  if ('M' in value) return fromItem(value.M);
  if ('SS' in value) return value.SS;
  if ('NS' in value) return value.NS.map(Number);
  if ('BS' in value) return value.BS;
  return 'B' in value ? value.B : null;
}
