import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { type EntryPoint, entryPoints } from './entry-points.ts';
import { zip } from './zip.ts';

export interface Built {
  readonly outfile: string;
  /** Of the code alone, without its source map. */
  readonly bytes: number;
}

/**
 * Bundles every program under `root` into `root`/dist. A file that would not change is not written, and no file is ever
 * half written: a sandbox that runs from dist/ can go on while it is built again.
 *
 * @throws if there is no function to build, or if one of the bundles fails
 */
export async function buildAll(root: string): Promise<readonly Built[]> {
  const entries = entryPoints(root);
  if (!entries.some(({ archive }) => archive)) throw new Error(`no functions/*/handler.ts under ${root}`);
  const built = await Promise.all(entries.map((entry) => buildOne(root, entry)));
  await removeStale(join(root, 'dist/functions'), entries);
  return built;
}

async function buildOne(root: string, { entry, outfile, archive }: EntryPoint): Promise<Built> {
  const files = await bundle(join(root, entry), join(root, outfile));
  for (const { path, contents } of files) await put(path, contents);
  if (archive) {
    await put(join(root, archive), zip(files.map(({ path, contents }) => ({ name: basename(path), contents }))));
  }
  const code = files.find(({ path }) => path === join(root, outfile));
  if (!code) throw new Error(`${entry}: esbuild made no ${outfile}`);
  return { outfile, bytes: code.contents.length };
}

async function put(path: string, contents: Uint8Array): Promise<void> {
  const present = await readFile(path).catch(ifAbsent);
  if (present?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  await writeFile(partial, contents);
  await rename(partial, path);
}

/** Folders and archives of functions that no longer exist must not be deployed. A build under way has only partial files. */
async function removeStale(folder: string, entries: readonly EntryPoint[]): Promise<void> {
  const wanted = new Set(entries.flatMap(({ name }) => [name, `${name}.zip`]));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const deployable = entry.isDirectory() || entry.name.endsWith('.zip');
    if (deployable && !wanted.has(entry.name)) await rm(join(folder, entry.name), { recursive: true, force: true });
  }
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { quiet: { type: 'boolean', default: false } } });
  const built = await buildAll(resolve(import.meta.dirname, '..'));
  if (!values.quiet) {
    for (const { outfile, bytes } of built)
      console.log(`${String(Math.round(bytes / 1000)).padStart(6)} kB  ${outfile}`);
  }
}
