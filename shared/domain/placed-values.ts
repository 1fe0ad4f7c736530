/**
 * Readers for one value of a configuration. None converts: "true" is no boolean and "24" is no number, because a value
 * that is silently read as something else is an option that silently does something else.
 */
import { InvalidInput } from './invalid-input.ts';
import { nearestWord, type Placed } from './strict-keys.ts';

export function readBoolean(placed: Placed, whenAbsent: boolean): boolean {
  if (placed.value === undefined) return whenAbsent;
  if (typeof placed.value !== 'boolean') {
    throw new InvalidInput(placed.field, placed.value, 'is not a boolean: write true or false, without quotes');
  }
  return placed.value;
}

/** An integer within both bounds; null when absent. */
export function readInteger(placed: Placed, least: number, most: number): number | null {
  const { field, value } = placed;
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new InvalidInput(field, value, `is not a whole number: write ${least} to ${most}, without quotes`);
  }
  if (value < least || value > most) throw new InvalidInput(field, value, `is not between ${least} and ${most}`);
  return value;
}

export function readText(placed: Placed): string {
  if (placed.value === undefined) throw new InvalidInput(placed.field, undefined, 'is required');
  if (typeof placed.value !== 'string') throw new InvalidInput(placed.field, placed.value, 'is not a string');
  return placed.value;
}

/** One of the given words, spelt exactly. */
export function readChoice<Word extends string>(placed: Placed, words: readonly Word[], whenAbsent: Word): Word {
  if (placed.value === undefined) return whenAbsent;
  const text = readText(placed);
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  const near = nearestWord(text, words);
  const hint = near === null ? '' : `; is ${near} meant?`;
  throw new InvalidInput(placed.field, text, `is not one of ${words.join(', ')}${hint}`);
}

/** The elements of a list; none when absent. */
export function readList(placed: Placed): Placed[] {
  if (placed.value === undefined) return [];
  if (!Array.isArray(placed.value)) throw new InvalidInput(placed.field, placed.value, 'is not a list');
  return placed.value.map((value: unknown, index) => ({ field: `${placed.field}[${index}]`, value: value ?? null }));
}
