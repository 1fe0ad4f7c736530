/** The checkout that this CLI runs from: the template of the stack and the bundles of its functions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { UserError } from './exit.ts';

const root = new URL('../', import.meta.url);

export const templateFile = fileURLToPath(new URL('infra/template.yaml', root));

/** Makes the bundles in `dist/` those of the sources; what would not change is not written. */
export async function buildBundles(): Promise<void> {
  const script = fileURLToPath(new URL('infra/build.ts', root));
  const build = spawn(process.execPath, [script, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(build, 'close')) as [number | null];
  if (code !== 0) throw new UserError('the functions could not be bundled: see above, or run npm run build');
}
