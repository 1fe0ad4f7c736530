/** `leaseway sandbox` as a process of its own, and the CLI against it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Ended, leaseway } from './leaseway.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface SandboxProcess {
  readonly url: string;
  /** Runs a command with the AWS environment of the sandbox. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** What it has said on standard error. */
  warnings(): string;
  /** Interrupts it and gives its exit code. */
  stop(): Promise<number | null>;
}

export async function sandboxProcess(world: unknown, args: readonly string[] = []): Promise<SandboxProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'leaseway-sandbox-'));
  const file = join(folder, 'world.json');
  writeFileSync(file, JSON.stringify(world));
  const child = spawn(process.execPath, [main, 'sandbox', '--port', '0', '--world', file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let warnings = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    warnings += text;
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [url] = await Promise.race([
    line,
    closed.then(([code]): never => {
      throw new Error(`the sandbox ended with ${code} before it answered: ${warnings}`);
    }),
  ]);
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'OPERATOR',
    AWS_SECRET_ACCESS_KEY: 'none',
  };
  return {
    url,
    run: (command, input = '') => leaseway(command, { env, input }),
    async control(method, path, body) {
      const response = await fetch(`${url}/_sandbox/${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
      return await response.json();
    },
    warnings: () => warnings,
    async stop() {
      child.kill('SIGINT');
      const [code] = await closed;
      rmSync(folder, { recursive: true });
      return code;
    },
  };
}
