/** A pod, or any other namespace that sends and answers: the test's side of `endpoint-program.ts`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inNamespace, nodeEnv } from './command.ts';
import type { Answer, Echoed, ExchangeReport, ProbeReport, Request } from './endpoint-messages.ts';

const program = fileURLToPath(new URL('./endpoint-program.ts', import.meta.url));

export interface Running<Report> {
  stop(): Promise<Report>;
}

export interface RunningProbe extends Running<ProbeReport> {
  /** What became of the packets since the last lap. */
  lap(): Promise<ProbeReport>;
}

export class Endpoint {
  readonly namespace: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #ids = 0;

  private constructor(namespace: string) {
    this.namespace = namespace;
    const [file = '', ...rest] = inNamespace(namespace, [process.execPath, program]);
    this.#child = spawn(file, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: nodeEnv });
    this.#child.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new Error(`in ${namespace}: ${answer.error}`));
      else waiting?.resolve(answer.result);
    });
    this.#child.on('exit', (status, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${namespace}: ended (${status ?? signal})`));
      this.#waiting.clear();
    });
  }

  /** Settles when the echoes answer. */
  static async start(namespace: string): Promise<Endpoint> {
    const endpoint = new Endpoint(namespace);
    await endpoint.#answerTo(0);
    return endpoint;
  }

  /** Answers under one more of its namespace's addresses. */
  async listen(on: string): Promise<void> {
    await this.#ask({ do: 'listen', on });
  }

  /** Sends one packet of `bytes` payload. */
  async echo(to: string, { timeoutMs = 500, bytes = 2 } = {}): Promise<Echoed> {
    return (await this.#ask({ do: 'echo', to, timeoutMs, bytes })) as Echoed;
  }

  /** The outcome of the first packet answered, else of the last one sent within the bound. */
  async reaches(to: string, { withinMs = 5000, bytes = 2 } = {}): Promise<boolean> {
    const end = performance.now() + withinMs;
    for (;;) {
      const echoed = await this.echo(to, { timeoutMs: 250, bytes });
      if (echoed.outcome === 'answered') return true;
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async probe(to: string, { everyMs = 5, from }: { everyMs?: number; from?: string } = {}): Promise<RunningProbe> {
    const task = (await this.#ask({ do: 'probe', to, everyMs, from })) as number;
    return {
      lap: async () => (await this.#ask({ do: 'lap', task })) as ProbeReport,
      stop: async () => (await this.#ask({ do: 'stop', task })) as ProbeReport,
    };
  }

  async exchange(
    to: string,
    { everyMs = 5, from }: { everyMs?: number; from?: string } = {},
  ): Promise<Running<ExchangeReport>> {
    const task = (await this.#ask({ do: 'exchange', to, everyMs, from })) as number;
    return { stop: async () => (await this.#ask({ do: 'stop', task })) as ExchangeReport };
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #ask(request: Request): Promise<unknown> {
    this.#ids += 1;
    const answer = this.#answerTo(this.#ids);
    this.#child.send({ id: this.#ids, request });
    return answer;
  }

  #answerTo(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}
