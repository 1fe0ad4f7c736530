import { isBuiltin } from 'node:module';
import { type BuildResult, build, type Metafile } from 'esbuild';
import { writtenOutKeys } from './written-out-keys.ts';

/** For CommonJS code in a bundle, which calls `require` for Node's own modules; an ES module has none (field report N1). */
const requireBanner =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

export interface BundledFile {
  readonly path: string;
  readonly contents: Uint8Array;
}

/** `cjs` is for a single executable, whose script is no ES module. */
export type Format = 'esm' | 'cjs';

/**
 * Bundles one entry point, with everything it imports, into a single module and its source map. Writes nothing.
 *
 * @param entry path of a TypeScript or JavaScript file
 * @param outfile path the bundle will have
 * @throws if anything does not resolve, and on every warning of esbuild's: it would be a failure at run time
 */
export async function bundle(entry: string, outfile: string, format: Format = 'esm'): Promise<readonly BundledFile[]> {
  const plain = await run(entry, outfile, format, '');
  const needsRequire = format === 'esm' && importsOf(plain.metafile).some(({ kind }) => kind === 'require-call');
  const result = needsRequire ? await run(entry, outfile, format, requireBanner) : plain;
  if (result.warnings.length > 0) throw new Error(`${entry}: ${result.warnings.map(({ text }) => text).join('; ')}`);
  const missing = importsOf(result.metafile).filter(({ path, external }) => external && !isBuiltin(path));
  if (missing.length > 0) throw new Error(`${entry}: not bundled: ${missing.map(({ path }) => path).join(', ')}`);
  return result.outputFiles;
}

function run(
  entry: string,
  outfile: string,
  format: Format,
  banner: string,
): Promise<BuildResult<{ metafile: true; write: false }>> {
  return build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format,
    target: 'node22',
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    // The SDK's packages have no `exports`; only their ES modules can be shaken.
    mainFields: ['module', 'main'],
    banner: { js: banner },
    plugins: [writtenOutKeys],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
}

function importsOf(metafile: Metafile): Metafile['outputs'][string]['imports'] {
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports);
}
