import type { Params } from '../params.ts';
import { TemplateError } from './parse.ts';

/** Throws for a property that the sandbox would silently not honour. */
export function checkProperties(where: string, properties: Params, known: readonly string[]): void {
  for (const key of Object.keys(properties)) {
    if (!known.includes(key)) throw new TemplateError(`${where}: the property ${key} is not understood`);
  }
}
