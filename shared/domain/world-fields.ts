/** Reading the parts of a world file: what each value must be, with the path of the field in every error. */
import { type Cidr, parseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import { nearestWord, pathOf } from './strict-keys.ts';

export type Fields = Readonly<Record<string, unknown>>;

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
  if (value === undefined || value === null) throw new InvalidInput(field, undefined, 'is missing');
  const id = typeof value === 'string' ? value.toLowerCase() : '';
  if (!id.startsWith(prefix) || !/^[a-z]+-[0-9a-z]([0-9a-z-]*[0-9a-z])?$/.test(id)) {
    throw new InvalidInput(field, value, `is not an id such as ${prefix}0123456789abcdef0`);
  }
  return id;
}

export function optionalText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value === '') throw new InvalidInput(field, value, 'is not a text');
  return value;
}

export function optionalIpv6Cidr(value: unknown, field: string): Cidr | null {
  return value === undefined || value === null ? null : parseCidr(value, field, 'ipv6');
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
