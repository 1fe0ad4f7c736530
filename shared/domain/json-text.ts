/**
 * JSON text that people write by hand. `JSON.parse` names the place of a mistake only sometimes, and of a key that is
 * given twice it silently keeps the last; a reader beside it says where, in both cases.
 */
import { InvalidInput } from './invalid-input.ts';
import { pathOf } from './strict-keys.ts';

/** Far deeper than any file of ours; it keeps hostile text from exhausting the stack. */
const deepest = 100;

/** @throws InvalidInput with line and column of a syntax error, or of the second of two equal keys. */
export function parseJsonText(text: string, field: string): unknown {
  const cursor = new Cursor(text, field);
  if (text.startsWith('\ufeff')) cursor.refuse('it begins with a byte-order mark');
  readValue(cursor, field, 0);
  if (!cursor.atEnd()) cursor.refuse('has more text after its end');
  return JSON.parse(text);
}

class Cursor {
  private readonly text: string;
  private readonly field: string;
  private at = 0;

  constructor(text: string, field: string) {
    this.text = text;
    this.field = field;
    this.skipSpace();
  }

  atEnd(): boolean {
    return this.at === this.text.length;
  }

  /** Takes what matches here, with the white space after it; null when nothing does. */
  take(pattern: RegExp): string | null {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text)?.[0] ?? null;
    if (found === null) return null;
    this.at += found.length;
    this.skipSpace();
    return found;
  }

  offset(): number {
    return this.at;
  }

  /** Counts lines from the start, so it is for messages only. */
  place(offset = this.at): string {
    const before = this.text.slice(0, offset).split('\n');
    return `line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}`;
  }

  refuse(problem: string): never {
    const rest = this.text.slice(this.at, this.at + 20);
    const found = this.atEnd() ? ' (the text ends there)' : '';
    throw new InvalidInput(
      this.field,
      this.atEnd() ? undefined : rest,
      `is not JSON: ${problem} at ${this.place()}${found}`,
    );
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? '.')) this.at++;
  }
}

// A string as RFC 8259 has it: no raw control characters, only the eight short escapes and \uXXXX.
const stringPattern = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/;
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.])/;
const wordPattern = /true|false|null/;

function readValue(cursor: Cursor, path: string, depth: number): void {
  if (depth > deepest) cursor.refuse('is nested too deeply');
  if (cursor.take(/\{/) !== null) readMembers(cursor, path, depth);
  else if (cursor.take(/\[/) !== null) readElements(cursor, path, depth);
  else if ([stringPattern, numberPattern, wordPattern].every((pattern) => cursor.take(pattern) === null)) {
    cursor.refuse('a value is expected');
  }
}

function readMembers(cursor: Cursor, path: string, depth: number): void {
  if (cursor.take(/\}/) !== null) return;
  const seen = new Set<string>();
  do {
    const offset = cursor.offset();
    const quoted = cursor.take(stringPattern) ?? cursor.refuse('a key in double quotes is expected');
    const key = String(JSON.parse(quoted));
    if (seen.has(key))
      throw new InvalidInput(pathOf(path, key), undefined, `is given a second time at ${cursor.place(offset)}`);
    seen.add(key);
    if (cursor.take(/:/) === null) cursor.refuse('a colon is expected');
    readValue(cursor, pathOf(path, key), depth + 1);
  } while (cursor.take(/,/) !== null);
  if (cursor.take(/\}/) === null) cursor.refuse('a comma or } is expected');
}

function readElements(cursor: Cursor, path: string, depth: number): void {
  if (cursor.take(/\]/) !== null) return;
  let index = 0;
  do readValue(cursor, `${path}[${index++}]`, depth + 1);
  while (cursor.take(/,/) !== null);
  if (cursor.take(/\]/) === null) cursor.refuse('a comma or ] is expected');
}
