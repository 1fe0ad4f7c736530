/** Reading the parts of a world file: what each value must be, with the path of the field in every error. */
import { type Cidr, parseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import { nearestWord, type Placed, pathOf } from './strict-keys.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Null is absent: the AWS CLI and jq write it for what is not there. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function fieldsOf(raw: unknown, field: string): Fields {
  if (raw === undefined) throw new InvalidInput(field, undefined, 'is missing');
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new InvalidInput(field, raw, 'is not an object');
  }
  return raw as Fields;
}

/** A list that must be there. */
export function listOf(raw: unknown, field: string): readonly unknown[] {
  if (raw === undefined) throw new InvalidInput(field, undefined, 'is missing');
  if (!Array.isArray(raw)) throw new InvalidInput(field, raw, 'is not a list');
  return raw;
}

/** The command that prints each list, for errors. */
const printedBy = { RouteTables: 'describe-route-tables', Reservations: 'describe-instances' } as const;

/**
 * The entries of what the AWS CLI prints: an object with the list in `member`, or the list by itself, as it prints with
 * `--query`.
 */
export function printedList(raw: unknown, field: string, member: keyof typeof printedBy): Placed[] {
  if (isGiven(raw) && typeof raw !== 'object') {
    throw new InvalidInput(field, raw, `is not what aws ec2 ${printedBy[member]} prints, {"${member}": [...]}`);
  }
  const isList = Array.isArray(raw);
  const at = isList ? field : `${field}.${member}`;
  const list = isList ? raw : listOf(fieldsOf(isGiven(raw) ? raw : undefined, field)[member], at);
  return list.map((value: unknown, n) => ({ field: `${at}[${n}]`, value }));
}

/** Refuses every other key. `parent` is the path of the object, empty for the root. */
export function onlyKeys(fields: Fields, known: readonly string[], parent: string): void {
  for (const [key, value] of Object.entries(fields)) {
    if (known.includes(key)) continue;
    const near = nearestWord(key, known);
    const hint = near === null ? `the keys are ${known.join(', ')}` : `is ${near} meant?`;
    throw new InvalidInput(parent === '' ? key : pathOf(parent, key), value, `is not a known key; ${hint}`);
  }
}

/** An id in lower case: both sides of every comparison are. */
export function identifier(value: unknown, field: string, prefix: string): string {
  if (!isGiven(value)) throw new InvalidInput(field, undefined, 'is missing');
  const id = typeof value === 'string' ? value.toLowerCase() : '';
  if (!id.startsWith(prefix) || !/^[a-z]+-[0-9a-z]([0-9a-z-]*[0-9a-z])?$/.test(id)) {
    throw new InvalidInput(field, value, `is not an id such as ${prefix}0123456789abcdef0`);
  }
  return id;
}

export function optionalText(value: unknown, field: string): string | null {
  if (!isGiven(value)) return null;
  if (typeof value !== 'string' || value === '') throw new InvalidInput(field, value, 'is not a text');
  return value;
}

export function optionalIpv6Cidr(value: unknown, field: string): Cidr | null {
  return isGiven(value) ? parseCidr(value, field, 'ipv6') : null;
}

/** Milliseconds are refused: 1.9e12 seconds are 60,000 years away, so such a lease would never expire. */
export function epochSeconds(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value >= 1e11) {
    throw new InvalidInput(field, value, 'is not a time in epoch seconds');
  }
  return Math.floor(value);
}

export function wholeNumber(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new InvalidInput(field, value, 'is not a whole number');
  }
  return value as number;
}
