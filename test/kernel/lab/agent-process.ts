/** The real agent in a node's namespace. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Finished, finish, inNamespace, nodeEnv } from './command.ts';

const program = fileURLToPath(new URL('../../../agent/main.ts', import.meta.url));

export const agentCommand = (namespace: string, args: readonly string[]): readonly string[] =>
  inNamespace(namespace, [process.execPath, '--disable-warning=ExperimentalWarning', program, ...args]);

/** Runs a command of the agent to its end. */
export const runAgent = (namespace: string, args: readonly string[]): Promise<Finished> =>
  finish(agentCommand(namespace, args), '', nodeEnv);

export class AgentProcess {
  readonly #child: ChildProcess;
  #log = '';

  constructor(namespace: string, args: readonly string[], env: NodeJS.ProcessEnv = nodeEnv) {
    const [file = '', ...rest] = agentCommand(namespace, args);
    this.#child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'], env });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.#log += text;
      });
    }
  }

  /** Its lines so far. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** SIGTERM, as systemd does it; gives the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.alive) {
      const ended = once(this.#child, 'exit');
      this.#child.kill(signal);
      await ended;
    }
    return this.#child.exitCode;
  }

  /** SIGSTOP and SIGCONT: an agent that is busy elsewhere. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
