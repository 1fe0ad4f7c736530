import { randomUUID } from 'node:crypto';
import type { Activity } from '../activity.ts';
import type { AlarmClock } from '../clock.ts';
import type { FunctionPool } from './function-pool.ts';
import type { Outcome } from './function-process.ts';

/** Sends a record of a failure to a queue. */
export type SendToQueue = (queueArn: string, body: string, attributes?: Readonly<Record<string, string>>) => void;

export interface AsynchronousOptions {
  readonly clock: AlarmClock;
  readonly activity: Activity;
  readonly send: SendToQueue;
  /** Waits before the first and second repetition, in seconds; Lambda's are a minute and two. */
  readonly retrySeconds: readonly [number, number];
}

/**
 * An asynchronous invocation: tried again while the function fails, then its record goes to the on-failure destination
 * and the dead-letter queue. Resolves with its end; never throws.
 */
export async function invokeAsynchronously(
  pool: FunctionPool,
  payload: string,
  options: AsynchronousOptions,
): Promise<void> {
  const { clock } = options;
  const { retries, maximumAgeSeconds } = pool.model.asynchronous;
  const end = options.activity.begin(`asynchronous event of ${pool.model.logicalId}`);
  const requestId = randomUUID();
  const begun = clock.now();
  try {
    for (let attempt = 0; ; attempt++) {
      const outcome = await pool.invoke(JSON.parse(payload), requestId);
      if (!outcome.functionError) return;
      const retryAt = clock.now() + (options.retrySeconds[attempt === 0 ? 0 : 1] ?? 0) * 1000;
      const aged = retryAt - begun > maximumAgeSeconds * 1000;
      if (attempt >= retries || aged) {
        const condition = attempt >= retries ? 'RetriesExhausted' : 'EventAgeExceeded';
        giveUp(pool, payload, outcome, { condition, attempts: attempt + 1, now: clock.now() }, options.send);
        return;
      }
      await new Promise<void>((resolve) => clock.at(retryAt, resolve));
    }
  } finally {
    end();
  }
}

/** The record's form: "Invocation record" of Lambda's destinations. */
function giveUp(
  pool: FunctionPool,
  payload: string,
  outcome: Outcome,
  end: { condition: string; attempts: number; now: number },
  send: SendToQueue,
): void {
  const { onFailureArn, deadLetterArn } = pool.model.asynchronous;
  if (onFailureArn !== undefined) {
    const record = {
      version: '1.0',
      timestamp: new Date(end.now).toISOString(),
      requestContext: {
        requestId: outcome.requestId,
        functionArn: `${pool.model.arn}:$LATEST`,
        condition: end.condition,
        approximateInvokeCount: end.attempts,
      },
      requestPayload: JSON.parse(payload),
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: outcome.functionError },
      responsePayload: JSON.parse(outcome.payload),
    };
    send(onFailureArn, JSON.stringify(record));
  }
  if (deadLetterArn === undefined) return;
  const error: { errorMessage?: string } = JSON.parse(outcome.payload);
  send(deadLetterArn, payload, {
    RequestID: outcome.requestId,
    ErrorCode: '200',
    ErrorMessage: error.errorMessage ?? '',
  });
}
