/**
 * The main program of a function's process: loads the bundle and runs its handler for each event the sandbox sends.
 * Started by `function-process.ts` with the bundle's path and the handler's name; speaks over the IPC channel only.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { FromFunction, FunctionErrorBody, InvokeMessage, ToFunction } from './messages.ts';

type Handler = (event: unknown, context: unknown) => unknown;

const [modulePath = '', exportName = '', offset = '0', waits = 'real'] = process.argv.slice(2);
let offsetMs = Number(offset);
const waiting = new Map<number, () => void>();

followSandboxClock();
if (waits === 'skip') skipWaits();
// Without its sandbox a function has nobody to answer to.
process.on('disconnect', () => process.exit(0));
void main();

async function main(): Promise<void> {
  try {
    const loaded: Readonly<Record<string, unknown>> = await import(pathToFileURL(modulePath).href);
    const handler = loaded[exportName];
    if (typeof handler !== 'function') throw new Error(`${modulePath} has no function ${exportName}`);
    process.on('message', (message: ToFunction) => {
      if (message.type === 'clock') offsetMs = message.offsetMs;
      else if (message.type === 'waited') waiting.get(message.id)?.();
      else void invoke(handler as Handler, message);
    });
    send({ type: 'ready' });
  } catch (error) {
    send({ type: 'unloadable', error: errorBody(error) });
  }
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  const { requestId } = message;
  try {
    const result = await handler(message.event, contextOf(message));
    send({ type: 'result', requestId, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    send({ type: 'error', requestId, error: errorBody(error) });
  }
}

/** The remaining time is real time: an advance of the sandbox's clock ends no invocation. */
function contextOf(message: InvokeMessage) {
  const deadline = performance.now() + message.remainingMs;
  return {
    awsRequestId: message.requestId,
    functionName: message.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: message.functionArn,
    memoryLimitInMB: String(message.memoryMegabytes),
    logGroupName: `/aws/lambda/${message.functionName}`,
    logStreamName: 'sandbox',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
}

function send(message: FromFunction): void {
  process.send?.(message);
}

function errorBody(error: unknown): FunctionErrorBody {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

/** `Date.now()` and `new Date()` show the sandbox's time; everything else about `Date` stays. */
function followSandboxClock(): void {
  const machineNow = Date.now.bind(Date);
  const now = () => machineNow() + offsetMs;
  Date.now = now;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    apply: () => new Date(now()).toString(),
  });
}

/**
 * A sleep of the handler's own (`node:timers/promises`) moves the sandbox's clock instead of lasting. Time-outs of calls
 * are plain timers: they stay real.
 */
function skipWaits(): void {
  let last = 0;
  const skip = <T>(delay = 0, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const settle = (end: () => void) => () => {
        waiting.delete(id);
        signal?.removeEventListener('abort', aborted);
        end();
      };
      const aborted = settle(() => reject(new DOMException('The operation was aborted', 'AbortError')));
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted);
      waiting.set(
        id,
        settle(() => resolve(value)),
      );
      send({ type: 'wait', id, until: Math.ceil(Date.now() + delay) });
    });
  Object.assign(timers, { setTimeout: skip });
  syncBuiltinESMExports();
}
