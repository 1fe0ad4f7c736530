/** A server of somebody else's as a child of the test: on a port of its own, with a folder of its own, gone at the end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerCommand {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly env: (port: number) => Readonly<Record<string, string>>;
  /** Answered with any status once the server is up. */
  readonly path: string;
}

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  /** What it has printed. */
  log(): string;
  /** Writes a line to its standard input. */
  tell(line: string): void;
  close(): Promise<void>;
}

/** A run that is ended ends its servers: Node runs no exit handlers for these by itself. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Longer than any start on a busy machine. */
const startMs = 120_000;

export async function startServer({ command, args, env, path }: ServerCommand): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'leaseway-stack-'));
  const port = await freePort();
  const logFile = join(folder, 'server.log');
  const log = createWriteStream(logFile);
  // A group of its own, so that workers which the server leaves behind end with it.
  const child = spawn(command, args(port), {
    cwd: folder,
    env: { ...env(port), TMPDIR: folder, HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = once(child, 'exit');
  const killGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  process.once('exit', killGroup);
  const killAndFollow = (signal: NodeJS.Signals) => {
    killGroup();
    rmSync(folder, { recursive: true, force: true });
    forget();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.once(signal, killAndFollow);
  const forget = () => {
    process.removeListener('exit', killGroup);
    for (const signal of signals) process.removeListener(signal, killAndFollow);
  };
  const url = `http://127.0.0.1:${port}`;
  const server: ServerProcess = {
    url,
    port,
    log: () => readFileSync(logFile, 'utf8'),
    tell: (line) => void child.stdin.write(`${line}\n`),
    async close() {
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
      killGroup();
      await ended;
      forget();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await answers(`${url}${path}`, () => child.exitCode === null);
  } catch (error) {
    const said = server.log();
    await server.close();
    throw new Error(`${command} did not start: ${said.slice(-2000)}`, { cause: error });
  }
  return server;
}

async function answers(url: string, isAlive: () => boolean): Promise<void> {
  for (const end = Date.now() + startMs; ; await sleep(100)) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch (error) {
      if (!isAlive() || Date.now() > end) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
