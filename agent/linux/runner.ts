/** The one way to `ip`, `bridge`, `nft` and their like. Two verbs, so that a fake kernel can stand in their place. */
import { execFile } from 'node:child_process';

export interface Runner {
  /** Runs a command to its end. @throws CommandFailed when it does not exit with 0. */
  run(argv: readonly string[], stdin?: string): Promise<void>;
  /** The same, and gives what it printed. */
  output(argv: readonly string[]): Promise<string>;
}

export class CommandFailed extends Error {
  readonly argv: readonly string[];
  /** Null: it was not started, or ended by a signal. */
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(argv: readonly string[], exitCode: number | null, stderr: string, options?: ErrorOptions) {
    const said = stderr.trim().replaceAll(/\s*\n\s*/g, '; ');
    super(`${argv.join(' ')}: ${said === '' ? `exit ${exitCode ?? 'by a signal'}` : said}`, options);
    this.name = 'CommandFailed';
    this.argv = argv;
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** A dump of 10,000 rows is about 3 MB. */
const maxBuffer = 256 * 1024 * 1024;
/** No command of ours takes a second; one that hangs must not stop the loop for ever. */
const timeout = 60_000;

/** @param env The agent's environment; messages come in English whatever it says, because some are told apart. */
export function systemRunner(env: Readonly<Record<string, string | undefined>>): Runner {
  const options = { env: { ...env, LC_ALL: 'C' }, maxBuffer, timeout, encoding: 'utf8' } as const;
  const execute = (argv: readonly string[], stdin: string | undefined): Promise<string> =>
    new Promise((resolve, reject) => {
      const [file = '', ...args] = argv;
      const child = execFile(file, args, options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const code = typeof error.code === 'number' ? error.code : null;
        reject(
          new CommandFailed(argv, code, stderr === '' && code === null ? error.message : stderr, { cause: error }),
        );
      });
      // A command that ends before it has read everything closes the pipe; its exit code says why.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(stdin ?? '');
    });
  return {
    run: async (argv, stdin) => void (await execute(argv, stdin)),
    output: (argv) => execute(argv, undefined),
  };
}
