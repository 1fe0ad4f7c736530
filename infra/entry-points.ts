import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface EntryPoint {
  readonly name: string;
  /** Source file and bundle, relative to the project's folder. */
  readonly entry: string;
  readonly outfile: string;
  /** Where the deployable archive of the bundle's folder goes; programs that are not Lambdas have none. */
  readonly archive?: string;
}

/** Folder names of the Lambdas under `root`/functions, sorted. */
export function functionNames(root: string): readonly string[] {
  return globSync('functions/*/handler.ts', { cwd: root })
    .map((path) => basename(dirname(path)))
    .sort();
}

/**
 * Everything under `root` that is bundled: each Lambda, and the agent, which goes to nodes as a single file. Not the CLI:
 * it runs from a checkout, and its sandbox brings dynalite, whose storage is a native addon that no bundle can hold.
 */
export function entryPoints(root: string): readonly EntryPoint[] {
  const functions = functionNames(root).map((name) => ({
    name,
    entry: `functions/${name}/handler.ts`,
    outfile: `dist/functions/${name}/index.mjs`,
    archive: `dist/functions/${name}.zip`,
  }));
  const agent = { name: 'agent', entry: 'agent/main.ts', outfile: 'dist/agent/leaseway-agent.mjs' };
  return existsSync(join(root, agent.entry)) ? [...functions, agent] : functions;
}
