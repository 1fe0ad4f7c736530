import { isRecord, type Params, required, text } from '../params.ts';
import { type ApiRequest, AwsError, type Service } from '../service.ts';
import { type AsynchronousOptions, invokeAsynchronously } from './asynchronous.ts';
import { type FunctionPool, throttled } from './function-pool.ts';
import { logTail } from './log-tail.ts';

type Answer = Readonly<Record<string, unknown>>;

/** The functions of the template, and Lambda's API to invoke and look at them. */
export class Lambda implements Service {
  readonly name = 'lambda';
  readonly #handlers = new Map<string, (params: Params) => Answer | Promise<Answer>>([
    ['Invoke', (params) => this.#invoke(required(params, 'FunctionName'), params)],
    ['GetFunction', (params) => ({ Configuration: this.#configuration(params), Code: { RepositoryType: 'S3' } })],
    ['GetFunctionConfiguration', (params) => this.#configuration(params)],
    ['ListFunctions', () => ({ Functions: this.pools.map(configuration) })],
  ]);
  readonly #pools: ReadonlyMap<string, FunctionPool>;
  readonly #asynchronous: AsynchronousOptions;

  constructor(pools: readonly FunctionPool[], asynchronous: AsynchronousOptions) {
    this.#pools = new Map(pools.map((pool) => [pool.model.name, pool]));
    this.#asynchronous = asynchronous;
  }

  get pools(): readonly FunctionPool[] {
    return [...this.#pools.values()];
  }

  /** By name, ARN or partial ARN, with or without the qualifier `$LATEST`. Throws `ResourceNotFoundException`. */
  pool(nameOrArn: string): FunctionPool {
    const name =
      nameOrArn
        .replace(/:\$LATEST$/, '')
        .split(':')
        .at(-1) ?? '';
    const pool = this.#pools.get(name);
    if (!pool)
      throw new AwsError('ResourceNotFoundException', `Function not found: ${nameOrArn}`, 404, { Type: 'User' });
    return pool;
  }

  get actions(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  /** `Payload` of an invocation is JSON text. */
  async handle({ action, params }: ApiRequest): Promise<Answer> {
    const handler = this.#handlers.get(action);
    if (handler) return handler(params);
    throw new AwsError('UnknownOperationException', `The action ${action} is not known to the sandbox's Lambda.`, 404);
  }

  /** Accepts an event for a function; resolves with its end, after all repetitions. */
  handOver(nameOrArn: string, payload: string): { readonly ended: Promise<void> } {
    return { ended: invokeAsynchronously(this.pool(nameOrArn), payload, this.#asynchronous) };
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  #configuration(params: Params): Answer {
    return configuration(this.pool(required(params, 'FunctionName')));
  }

  async #invoke(functionName: string, params: Params): Promise<Answer> {
    const pool = this.pool(functionName);
    const payload = params['Payload'];
    const type = text(params, 'InvocationType') ?? 'RequestResponse';
    const body = typeof payload === 'string' && payload !== '' ? payload : '{}';
    const event = parsed(body);
    if (type === 'DryRun') return { StatusCode: 204 };
    if (type === 'Event') {
      void this.handOver(functionName, body).ended;
      return { StatusCode: 202 };
    }
    if (pool.isFull) throw throttled();
    const begun = performance.now();
    const { payload: answer, functionError, requestId, log } = await pool.invoke(event);
    const durationMs = performance.now() - begun;
    const wantsLog = text(params, 'LogType') === 'Tail';
    if (wantsLog) await pipesRead();
    const { memoryMegabytes } = pool.model;
    return {
      StatusCode: 200,
      ExecutedVersion: '$LATEST',
      Payload: answer,
      ...(functionError && { FunctionError: functionError }),
      ...(wantsLog && { LogResult: logTail({ requestId, log, durationMs, memoryMegabytes }) }),
    };
  }
}

/**
 * A function's lines are in the pipe before its answer is sent, but the two are read in no order: whole turns of the
 * event loop read what is there.
 */
async function pipesRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch (cause) {
    throw new AwsError(
      'InvalidRequestContentException',
      `Could not parse request body into json: ${isRecord(cause) ? cause['message'] : cause}`,
      400,
      { Type: 'User' },
    );
  }
}

function configuration({ model }: FunctionPool): Answer {
  return {
    FunctionName: model.name,
    FunctionArn: model.arn,
    Handler: model.handler,
    Runtime: model.properties['Runtime'],
    Timeout: model.timeoutSeconds,
    MemorySize: model.memoryMegabytes,
    Environment: { Variables: model.environment },
    Version: '$LATEST',
    State: 'Active',
    LastUpdateStatus: 'Successful',
  };
}
