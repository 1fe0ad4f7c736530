/** Reads what the AWS CLI prints, member by member; anything absent or of another kind is `undefined`. */

export type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

export function textOf(json: Json | undefined, member: string): string | undefined {
  const value = json?.[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(json: Json | undefined, member: string): number | undefined {
  const value = json?.[member];
  return typeof value === 'number' ? value : undefined;
}

export function flagOf(json: Json | undefined, member: string): boolean | undefined {
  const value = json?.[member];
  return typeof value === 'boolean' ? value : undefined;
}

export function objectOf(json: Json, member: string): Json | undefined {
  const value = json[member];
  return isJson(value) ? value : undefined;
}

export function listOf(json: Json, member: string): readonly Json[] {
  const value = json[member];
  return Array.isArray(value) ? value.filter(isJson) : [];
}
