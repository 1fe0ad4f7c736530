import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { type EntryPoint, entryPoints } from './entry-points.ts';
import { writeExecutable } from './executable.ts';
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

/**
 * Makes the agent under `root` one executable file that needs no Node, of the Node that runs this. Nothing is done while
 * neither has changed: the file is Node and a few hundred kilobytes.
 *
 * @returns null if there is no agent
 * @throws if this Node cannot be copied so: only some builds of it can
 */
export async function buildExecutable(root: string): Promise<Built | null> {
  const entry = join(root, 'agent/main.ts');
  if (!existsSync(entry)) return null;
  const outfile = 'dist/agent/leaseway-agent';
  const [path, stamp] = [join(root, outfile), join(root, `${outfile}.stamp`)];
  const script = (await bundle(entry, `${path}.cjs`, 'cjs')).find((file) => file.path === `${path}.cjs`);
  if (!script) throw new Error(`${entry}: esbuild made no script`);
  const node = await stat(process.execPath);
  const mark = createHash('sha256')
    .update(script.contents)
    .update(`${process.version} ${node.size} ${node.mtimeMs}`)
    .digest('hex');
  if (!existsSync(path) || (await readFile(stamp, 'utf8').catch(ifAbsent)) !== mark) {
    await writeExecutable(script.contents, path);
    await put(stamp, Buffer.from(mark));
  }
  return { outfile, bytes: (await stat(path)).size };
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
  const root = resolve(import.meta.dirname, '..');
  const built = [...(await buildAll(root))];
  // Tests and the demo run bundles; 130 MB for each of their runs would be a waste.
  if (!values.quiet) {
    try {
      const executable = await buildExecutable(root);
      if (executable !== null) built.push(executable);
    } catch (error) {
      console.warn(`no single executable of the agent: ${error instanceof Error ? error.message : String(error)}`);
    }
    for (const { outfile, bytes } of built)
      console.log(`${String(Math.round(bytes / 1000)).padStart(6)} kB  ${outfile}`);
  }
}
