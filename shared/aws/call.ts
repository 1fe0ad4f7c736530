/** One call to AWS: bounded in time, ended with its caller's deadline, its errors in our words. */
import { refusal } from './error-meanings.ts';

/** What an adapter needs to know about who is calling. */
export interface Caller {
  /** Aborted when the caller has to be done: no call outlives it. */
  readonly signal?: AbortSignal | undefined;
}

interface HttpOptions {
  readonly abortSignal: AbortSignal;
}

/**
 * Milliseconds that a call may take with all of its retries. The request time-out of `clients.ts` ends with the headers
 * of an answer; a body that never comes is ended here.
 */
const longestCall = 20_000;

/** @throws Refusal */
export async function call<Output>(
  action: string,
  { signal }: Caller,
  send: (options: HttpOptions) => Promise<Output>,
): Promise<Output> {
  const limit = AbortSignal.timeout(longestCall);
  try {
    return await send({ abortSignal: signal === undefined ? limit : AbortSignal.any([signal, limit]) });
  } catch (error) {
    throw refusal(action, error);
  }
}
