import { randomUUID } from 'node:crypto';
import type { Activity } from '../activity.ts';
import type { AlarmClock } from '../clock.ts';
import { AwsError } from '../service.ts';
import type { FunctionModel } from '../template/functions.ts';
import { FunctionProcess, type Outcome } from './function-process.ts';

export interface PoolOptions {
  readonly clock: AlarmClock;
  readonly activity: Activity;
  readonly endpoint: string;
  /** The most processes of one function at once. */
  readonly maximumProcesses: number;
  /** `skip`: a function that sleeps moves the clock instead. */
  readonly waits: 'real' | 'skip';
}

const keptLogLines = 500;

/** The processes of one function: warm ones are used again, busy ones make another start, up to the limit. */
export class FunctionPool {
  readonly model: FunctionModel;
  readonly log: string[] = [];
  invocations = 0;
  errors = 0;
  readonly #options: PoolOptions;
  readonly #processes = new Set<FunctionProcess>();
  readonly #idle: FunctionProcess[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #started = 0;
  #closed = false;

  constructor(model: FunctionModel, options: PoolOptions) {
    this.model = model;
    this.#options = options;
    options.clock.onAdvance((offsetMs) => {
      for (const one of this.#processes) one.setClock(offsetMs);
    });
  }

  get running(): number {
    return this.#running;
  }

  get processes(): number {
    return this.#processes.size;
  }

  /** Whether Lambda would throttle an invocation now. */
  get isFull(): boolean {
    const { reservedConcurrency } = this.model;
    return reservedConcurrency !== undefined && this.#running >= reservedConcurrency;
  }

  /** Runs the handler once a process is free. Never throws: whatever goes wrong is a failed outcome. */
  async invoke(event: unknown, requestId: string = randomUUID()): Promise<Outcome> {
    if (this.model.reservedConcurrency === 0) return refused(requestId, 'Rate Exceeded.');
    const end = this.#options.activity.begin(`invocation of ${this.model.logicalId}`);
    try {
      if (!(await this.#turn())) return refused(requestId, 'The sandbox is closing.');
      try {
        this.invocations++;
        const outcome = await this.#run(event, requestId);
        if (outcome.functionError) this.errors++;
        return outcome;
      } finally {
        this.#running--;
        this.#waiting.shift()?.();
      }
    } finally {
      end();
    }
  }

  /** Ends the process whose access key this is; its invocation ends with an error. */
  async kill(accessKeyId: string): Promise<void> {
    await [...this.#processes].find((one) => one.accessKeyId === accessKeyId)?.kill();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#processes].map((one) => one.kill()));
  }

  /** Waits for a free place; false when the pool closes meanwhile. */
  async #turn(): Promise<boolean> {
    const limit = Math.min(this.#options.maximumProcesses, this.model.reservedConcurrency ?? Number.POSITIVE_INFINITY);
    while (this.#running >= limit && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (!this.#closed) this.#running++;
    return !this.#closed;
  }

  async #run(event: unknown, requestId: string): Promise<Outcome> {
    const process = this.#take();
    const outcome = await process.invoke(requestId, event);
    if (process.alive) this.#idle.push(process);
    else this.#processes.delete(process);
    return outcome;
  }

  #take(): FunctionProcess {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.alive) return idle;
      this.#processes.delete(idle);
    }
    const { clock, endpoint, waits } = this.#options;
    const started = new FunctionProcess({
      model: this.model,
      number: ++this.#started,
      endpoint,
      offsetMs: clock.offset(),
      waits,
      onWait: (until) => clock.advance(Math.max(0, until - clock.now()) / 1000),
      onLog: (line) => {
        this.log.push(line);
        if (this.log.length > keptLogLines) this.log.shift();
      },
    });
    this.#processes.add(started);
    return started;
  }
}

function refused(requestId: string, errorMessage: string): Outcome {
  return {
    requestId,
    payload: JSON.stringify({ errorType: 'Sandbox.Refused', errorMessage }),
    functionError: 'Unhandled',
    log: [],
  };
}

export function throttled(): AwsError {
  return new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429, {
    Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
  });
}
