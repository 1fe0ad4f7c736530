/** Runs the tools of iproute2 and nftables, whose answer is text and whose refusal is an error that shows what was asked. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Node parses dozens of files at each start of an agent or an endpoint; a cache of what it made of them halves that. */
export const nodeEnv: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../.tsbuild/compile-cache', import.meta.url)),
};

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs to the end whatever the exit status; `input` goes to stdin. */
export function finish(argv: readonly string[], input = '', env?: NodeJS.ProcessEnv): Promise<Finished> {
  const [file = '', ...rest] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { stdio: 'pipe', ...(env && { env }) });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.stdin.on('error', () => undefined); // A tool that refuses its first line reads no further.
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
    child.stdin.end(input);
  });
}

export async function run(argv: readonly string[], input = ''): Promise<string> {
  const { status, stdout, stderr } = await finish(argv, input);
  if (status !== 0) throw new Error(`${argv.join(' ')}: exit ${status}: ${stderr.trim()}\n${input}`.trim());
  return stdout;
}

/** For the way out of the process, where nothing can be awaited. */
export function runSync(argv: readonly string[]): string {
  const [file = '', ...rest] = argv;
  return spawnSync(file, rest, { encoding: 'utf8' }).stdout ?? '';
}

/** One `ip -batch` in a namespace: 1.6 ms a command as processes, microseconds as lines. Lines carry no options. */
export async function ipBatch(
  namespace: string,
  lines: readonly string[],
  option: '-4' | '-6' | '' = '',
): Promise<void> {
  const options = option === '' ? [] : [option];
  if (lines.length > 0) await run(['ip', ...options, '-n', namespace, '-batch', '-'], `${lines.join('\n')}\n`);
}

export async function bridgeBatch(namespace: string, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await run(['bridge', '-n', namespace, '-batch', '-'], `${lines.join('\n')}\n`);
}

/** `ip` with its words separated by blanks, as one types it. */
export const ip = (namespace: string, words: string): Promise<string> =>
  run(['ip', '-n', namespace, ...words.split(' ')]);

export const inNamespace = (namespace: string, argv: readonly string[]): readonly string[] => [
  'ip',
  'netns',
  'exec',
  namespace,
  ...argv,
];

/** Writes sysctls, named with slashes (`net/ipv4/ip_forward`), in one process. */
export async function setSysctls(namespace: string, values: Readonly<Record<string, string | number>>): Promise<void> {
  const script = Object.entries(values).map(([name, value]) => `echo ${value} > /proc/sys/${name}`);
  await run(inNamespace(namespace, ['sh', '-ec', script.join('\n')]));
}

export async function readSysctl(namespace: string, name: string): Promise<string> {
  return (await run(inNamespace(namespace, ['cat', `/proc/sys/${name}`]))).trim();
}
