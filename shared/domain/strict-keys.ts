/**
 * Keys of a JSON object, read as flannel reads them (case is free) and more strictly than it does: flannel drops what it
 * does not know, so that a misspelt `DirectRoutng` silently changes nothing.
 */
import { InvalidInput } from './invalid-input.ts';

/** A value and where it stands. `value` is undefined when the key is absent. */
export interface Placed {
  /** Path from the root of the input, spelt as the input spells it. */
  readonly field: string;
  readonly value: unknown;
}

export interface KeyOptions {
  /** Unknown keys are ignored instead of refused. */
  readonly lenient: boolean;
}

/**
 * One entry for each known key, whether the input has it or not.
 *
 * @throws InvalidInput for what is no object, for an unknown key (naming the near one) and for two spellings of one key.
 */
export function readKeys<Key extends string>(
  input: Placed,
  known: readonly Key[],
  options: KeyOptions,
): Record<Key, Placed> {
  if (typeof input.value !== 'object' || input.value === null || Array.isArray(input.value)) {
    throw new InvalidInput(input.field, input.value, input.value === undefined ? 'is required' : 'is not an object');
  }
  const canonical = new Map<string, Key>(known.map((key) => [key.toLowerCase(), key]));
  const found = new Map<Key, { spelling: string; value: unknown }>();
  for (const [spelling, value] of Object.entries(input.value)) {
    const key = canonical.get(spelling.toLowerCase());
    if (key === undefined) {
      if (options.lenient) continue;
      throw new InvalidInput(pathOf(input.field, spelling), value, unknownKey(spelling, known));
    }
    const earlier = found.get(key);
    if (earlier !== undefined) {
      const problem = `is a second spelling of ${earlier.spelling}; key case is free, so give one of them`;
      throw new InvalidInput(pathOf(input.field, spelling), value, problem);
    }
    found.set(key, { spelling, value });
  }
  const entries = known.map((key): [Key, Placed] => {
    const entry = found.get(key);
    return [key, { field: pathOf(input.field, entry?.spelling ?? key), value: entry?.value }];
  });
  return Object.fromEntries(entries) as Record<Key, Placed>;
}

/** `config.Backend`, or `config["odd key"]` where a dot would not be readable. */
export function pathOf(field: string, key: string): string {
  return /^\w+$/.test(key) ? `${field}.${key}` : `${field}[${JSON.stringify(key)}]`;
}

/** The known word that was probably meant, or null. */
export function nearestWord<Word extends string>(word: string, known: readonly Word[]): Word | null {
  const folded = fold(word);
  const allowed = Math.ceil(folded.length / 3);
  let best: { word: Word; distance: number } | null = null;
  for (const candidate of known) {
    const distance = editDistance(folded, fold(candidate));
    if (distance <= allowed && (best === null || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word ?? null;
}

function unknownKey(spelling: string, known: readonly string[]): string {
  const near = nearestWord(spelling, known);
  return near === null
    ? `is not a known key; known here: ${known.join(', ')}`
    : `is not a known key; is ${near} meant?`;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[^0-9a-z]/g, '');
}

/** Levenshtein distance: insertions, deletions and exchanges of one character. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchange = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(exchange, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
