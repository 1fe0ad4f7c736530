import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FunctionModel } from '../template/functions.ts';
import { functionAccessKey, functionEnvironment } from './environment.ts';
import type { FromFunction, FunctionErrorBody, ToFunction } from './messages.ts';

/** How an invocation ended; `functionError` as the Lambda API's header has it. */
export interface Outcome {
  readonly payload: string;
  readonly functionError?: 'Unhandled';
  readonly requestId: string;
  /** Its lines so far; the last ones may still be on their way when the outcome is there. */
  readonly log: readonly string[];
}

export interface ProcessOptions {
  readonly model: FunctionModel;
  readonly number: number;
  readonly endpoint: string;
  readonly offsetMs: number;
  readonly waits: 'real' | 'skip';
  readonly onLog: (line: string) => void;
  /** The handler sleeps until then (ms since the epoch, sandbox clock); it goes on when this returns. */
  readonly onWait: (until: number) => void;
}

const runner = fileURLToPath(new URL('./runner.ts', import.meta.url));

/** One node process that runs a function, one invocation at a time. */
export class FunctionProcess {
  readonly accessKeyId: string;
  readonly #model: FunctionModel;
  readonly #child: ChildProcess;
  readonly #ready: Promise<FunctionErrorBody | undefined>;
  readonly #exited: Promise<string>;
  #settle: ((message: FromFunction) => void) | undefined;
  /** Of the latest invocation. */
  #log: string[] = [];
  #used = false;
  alive = true;

  constructor({ model, number, endpoint, offsetMs, waits, onLog, onWait }: ProcessOptions) {
    this.#model = model;
    this.accessKeyId = functionAccessKey(model.logicalId, number);
    const { file, exportName } = handlerOf(model);
    this.#child = fork(runner, [file, exportName, String(offsetMs), waits], {
      execPath: process.execPath,
      execArgv: [],
      cwd: existsSync(model.codeFolder) ? model.codeFolder : process.cwd(),
      env: { ...functionEnvironment(model, this.accessKeyId, endpoint) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const logged = (line: string) => {
      this.#log.push(line);
      onLog(line);
    };
    eachLine(this.#child.stdout, logged);
    eachLine(this.#child.stderr, logged);
    const first = Promise.withResolvers<FunctionErrorBody | undefined>();
    this.#ready = first.promise;
    this.#exited = new Promise((resolve) => {
      const gone = (how: string) => {
        this.alive = false;
        resolve(how);
      };
      this.#child.on('exit', (code, signal) => gone(signal ? `signal: ${signal}` : `exit status ${code}`));
      this.#child.on('error', (error) => gone(error.message));
    });
    void this.#exited.then((how) =>
      first.resolve({ errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with error: ${how}` }),
    );
    this.#child.on('message', (message: FromFunction) => {
      if (message.type === 'ready') first.resolve(undefined);
      else if (message.type === 'wait') {
        onWait(message.until);
        this.#send({ type: 'waited', id: message.id });
      } else if (message.type === 'unloadable')
        first.resolve({ ...message.error, errorType: 'Runtime.ImportModuleError' });
      else this.#settle?.(message);
    });
  }

  /** Runs the handler. A process that dies or runs out of time answers with an error, and is `alive` no more. */
  async invoke(requestId: string, event: unknown): Promise<Outcome> {
    // What a process writes while it starts belongs to its first invocation, as on Lambda.
    if (this.#used) this.#log = [];
    this.#used = true;
    const log = this.#log;
    return { ...(await this.#run(requestId, event)), log };
  }

  async #run(requestId: string, event: unknown): Promise<Omit<Outcome, 'log'>> {
    const unloadable = await this.#ready;
    if (unloadable) {
      await this.kill();
      return failed(requestId, unloadable);
    }
    const { timeoutSeconds } = this.#model;
    const answered = new Promise<FromFunction>((resolve) => {
      this.#settle = resolve;
    });
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), timeoutSeconds * 1000);
    this.#send({
      type: 'invoke',
      requestId,
      event,
      remainingMs: timeoutSeconds * 1000,
      functionName: this.#model.name,
      functionArn: this.#model.arn,
      memoryMegabytes: this.#model.memoryMegabytes,
    });
    const end = await Promise.race([answered, late.promise, this.#exited.then((how) => ({ how }))]);
    clearTimeout(timer);
    this.#settle = undefined;
    if (end === 'late') {
      await this.kill();
      const seconds = timeoutSeconds.toFixed(2);
      return failed(requestId, {
        errorType: 'Sandbox.Timedout',
        errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
      });
    }
    if ('how' in end) {
      return failed(requestId, {
        errorType: 'Runtime.ExitError',
        errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: ${end.how}`,
      });
    }
    if (end.type === 'result') return { requestId, payload: end.payload };
    return failed(requestId, end.type === 'error' ? end.error : { errorType: 'Error', errorMessage: end.type });
  }

  setClock(offsetMs: number): void {
    this.#send({ type: 'clock', offsetMs });
  }

  /** Ends the process at once, whatever it is doing. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #send(message: ToFunction): void {
    // A process that has just died is told nothing; its exit is what the invocation ends with.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

function failed(requestId: string, error: FunctionErrorBody): Omit<Outcome, 'log'> {
  return { requestId, payload: JSON.stringify(error), functionError: 'Unhandled' };
}

/** `index.handler` is the export `handler` of `index.mjs`, `index.js` or `index.cjs`. */
function handlerOf(model: FunctionModel): { file: string; exportName: string } {
  const dot = model.handler.lastIndexOf('.');
  const base = join(model.codeFolder, model.handler.slice(0, dot));
  const file = ['.mjs', '.js', '.cjs'].map((ending) => base + ending).find((path) => existsSync(path));
  return { file: file ?? `${base}.mjs`, exportName: model.handler.slice(dot + 1) };
}

function eachLine(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream?.on('end', () => rest !== '' && onLine(rest));
}
