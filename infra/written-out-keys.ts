import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const stringConstant = /^const (\w+) = ("[^"\\]*");$/gm;
const computedKey = /([{,]\s*)\[(\w+)\](\s*:)/g;

/**
 * JavaScript source in which object keys computed from this file's own string constants are written out:
 * `const _a = "x"; f({ [_a]: 1 })` becomes `f({ "x": 1 })`. The meaning stays, as such a constant has one value. A key
 * `__proto__` is left alone: written out it would set the prototype.
 */
export function writeOutKeys(source: string): string {
  const constants = new Map([...source.matchAll(stringConstant)].map(([, name, literal]) => [name, literal]));
  return source.replace(computedKey, (whole, before: string, name: string, after: string) => {
    const literal = constants.get(name);
    return literal === undefined || literal === '"__proto__"' ? whole : `${before}${literal}${after}`;
  });
}

/**
 * esbuild keeps an object with a computed key, since evaluating the key might do something. The SDK's schemas are full of
 * them, so every bundle would carry the schemas of all operations: half of a bundle that calls EC2.
 */
export const writtenOutKeys: Plugin = {
  name: 'written-out-keys',
  setup(build) {
    const schemas = /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/][^\\/]+\.js$/;
    build.onLoad({ filter: schemas }, async ({ path }) => ({
      contents: writeOutKeys(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};
