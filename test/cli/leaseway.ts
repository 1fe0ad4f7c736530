/** Runs the CLI as its users do: a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without the caller's AWS environment, so that a test can never reach an account. */
export async function leaseway(
  args: readonly string[],
  options: {
    readonly input?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly node?: readonly string[];
  } = {},
): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...options.env };
  const child = spawn(process.execPath, [...(options.node ?? []), main, ...args], { env });
  child.stdin.on('error', () => {
    // The command may end without reading what it was given.
  });
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
