/** Texts under `test/golden`, compared letter by letter. LEASEWAY_WRITE_GOLDEN=1 writes what was found instead. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export function assertGolden(name: string, actual: string): void {
  const path = fileURLToPath(new URL(`../../golden/${name}.txt`, import.meta.url));
  if (process.env['LEASEWAY_WRITE_GOLDEN'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${actual}\n`);
  }
  assert.equal(`${actual}\n`, readFileSync(path, 'utf8'), `test/golden/${name}.txt`);
}
