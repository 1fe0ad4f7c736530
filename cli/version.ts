/** The version of this checkout. */
import { readFileSync } from 'node:fs';

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version: unknown }).version);
}
