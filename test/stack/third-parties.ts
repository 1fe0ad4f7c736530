/** Where the third parties of this folder's requirements.txt are, and which versions they have. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A program of the virtual environment that run.sh makes. */
export const program = (name: string, environment: 'stack' | 'sam' = 'stack') =>
  `${checkout}.venv/${environment}/bin/${name}`;

/** The Node that runs this file first: MiniStack takes the first `node` of PATH for its functions. */
export const searchPath = (path: string) => `${dirname(process.execPath)}:${path}`;

/** Such as `moto 5.2.5`. Rejects for what is not installed. */
export async function versionOf(name: string, environment: 'stack' | 'sam' = 'stack'): Promise<string> {
  const code = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}))`;
  const { stdout } = await run(program('python', environment), ['-c', code]);
  return `${name} ${stdout.trim()}`;
}
