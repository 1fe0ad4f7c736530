/** Reads the parameters of one call, as they stand on the wire: scalars are strings, lists are arrays. */
import { invalidValue, missingParameter } from './errors.ts';

export type Params = Readonly<Record<string, unknown>>;

/** A scalar; empty text counts as absent, as EC2 takes it. */
export function text(params: Params, name: string): string | undefined {
  const value = params[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function requiredText(params: Params, name: string): string {
  const value = text(params, name);
  if (value === undefined) throw missingParameter(name);
  return value;
}

export function flag(params: Params, name: string): boolean | undefined {
  const value = text(params, name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalidValue(name, value, 'Expecting a boolean.');
  return value === 'true';
}

export function integer(params: Params, name: string): number | undefined {
  const value = text(params, name);
  if (value === undefined) return undefined;
  if (!/^-?\d{1,9}$/.test(value)) throw invalidValue(name, value, 'Expecting an integer.');
  return Number(value);
}

export function requiredInteger(params: Params, name: string): number {
  const value = integer(params, name);
  if (value === undefined) throw missingParameter(name);
  return value;
}

function items(params: Params, name: string): readonly unknown[] {
  const value = params[name];
  if (value === undefined || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

/** A list of scalars (`RouteTableId.1=...`). */
export function list(params: Params, name: string): readonly string[] {
  return items(params, name).filter((item) => typeof item === 'string');
}

/** A list of structures (`Filter.1.Name=...`). */
export function structures(params: Params, name: string): readonly Params[] {
  return items(params, name).filter((item): item is Params => typeof item === 'object' && item !== null);
}

/** A structure (`SourceDestCheck.Value=...`), or nothing. */
export function structure(params: Params, name: string): Params | undefined {
  return structures(params, name)[0];
}
