/**
 * What `ip -json` and `bridge -json` print, read with tolerance: versions of iproute2 differ in which members they leave
 * out, and print numbers as texts under `-N`.
 */
import type { Runner } from './runner.ts';

export type Members = Readonly<Record<string, unknown>>;

/** @throws Error when it is no list of objects: a reading is complete or it is none. */
export function parseDump(text: string, command: string): readonly Members[] {
  // An empty table prints nothing in some versions, `[]` or `[{}]` in others.
  if (text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${command}: printed no JSON`, { cause });
  }
  if (!Array.isArray(value)) throw new Error(`${command}: printed no list`);
  return value.filter(isMembers).filter((members) => Object.keys(members).length > 0);
}

export async function readDump(runner: Runner, argv: readonly string[]): Promise<readonly Members[]> {
  return parseDump(await runner.output(argv), argv.join(' '));
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(members: Members, key: string): string | null {
  const value = members[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberIn(members: Members, key: string): number | null {
  const value = members[key];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^(0x[0-9a-f]+|[0-9]+)$/i.test(value) ? Number(value) : null;
}

export function textsIn(members: Members, key: string): readonly string[] {
  const value = members[key];
  return Array.isArray(value) ? value.filter((member) => typeof member === 'string') : [];
}
