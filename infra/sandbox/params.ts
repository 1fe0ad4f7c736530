import { AwsError } from './service.ts';

/** Readers of members of parsed JSON, whose shape nobody vouches for. */
export type Params = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function record(params: Params, key: string): Params | undefined {
  const value = params[key];
  return isRecord(value) ? value : undefined;
}

export function list(params: Params, key: string): readonly unknown[] {
  const value = params[key];
  return Array.isArray(value) ? value : [];
}

export function records(params: Params, key: string): readonly Params[] {
  return list(params, key).filter(isRecord);
}

export function text(params: Params, key: string): string | undefined {
  const value = params[key];
  return typeof value === 'string' ? value : undefined;
}

/** A number, also where a template or a query parameter spells it as text. */
export function number(params: Params, key: string): number | undefined {
  const value = params[key];
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

export function flag(params: Params, key: string): boolean {
  return params[key] === true || params[key] === 'true';
}

/** A string member the call cannot do without. */
export function required(params: Params, key: string): string {
  const value = text(params, key);
  if (value === undefined || value === '') {
    throw new AwsError('MissingParameter', `The request must contain the parameter ${key}.`);
  }
  return value;
}
