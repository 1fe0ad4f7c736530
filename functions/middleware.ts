/**
 * The stack around every function: structured logs, metrics, errors, rejects. The functions are ordinary ones
 * underneath; this file alone knows middy and Powertools.
 *
 * No event and no body is logged: claims and requests are other people's data. What cannot be read goes to the
 * rejects queue, whole, where access is a matter of rights.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Rejects } from '../shared/keeper/ports.ts';

/** Values that a log line may carry; objects are flat on purpose. */
type Fields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** What a function is given beside its event. */
export interface Run {
  readonly context: Context;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields, cause?: unknown): void;
  /** Adds to a CloudWatch metric of the namespace `Leaseway` whose only dimension is `Network`. */
  metric(name: string, value: number, unit?: keyof typeof MetricUnit): void;
  /**
   * Counts (`Rejects`) and names something that cannot be read and sends it to the rejects queue. It never throws:
   * what cannot be read must not block what can. `source` says where it came from, `reason` what is wrong with it.
   */
  reject(source: string, reason: string, body: unknown): Promise<void>;
}

export interface Program<Result> {
  readonly network: string;
  readonly rejects: Rejects;
  readonly work: (event: unknown, run: Run) => Promise<Result>;
}

/** A Lambda handler: an async function of event and context, as Node 24's runtime wants it. */
export function lambda<Result>({ network, rejects, work }: Program<Result>) {
  const logger = new Logger({ persistentKeys: { network } });
  const metrics = new Metrics({ namespace: 'Leaseway' });
  // Alarms name one dimension. The library would add `service`, which makes another metric of the same name.
  metrics.clearDefaultDimensions();
  metrics.setDefaultDimensions({ Network: network });

  const run = (context: Context): Run => ({
    context,
    info: (message, fields = {}) => logger.info(message, { ...fields }),
    warn: (message, fields = {}) => logger.warn(message, { ...fields }),
    error: (message, fields = {}, cause = undefined) =>
      logger.error(message, cause instanceof Error ? { ...fields, error: cause } : { ...fields }),
    metric: (name, value, unit = 'Count') => void metrics.addMetric(name, MetricUnit[unit], value),
    reject: async (source, reason, body) => {
      metrics.addMetric('Rejects', MetricUnit.Count, 1);
      logger.warn('rejected', { source, reason });
      try {
        await rejects.put({ source, reason, body: textOf(body) });
      } catch (error) {
        logger.error('the rejects queue did not take it', { source, error: error as Error });
      }
    },
  });

  return middy<unknown, Result>({ timeoutEarlyInMillis: 0 }) // an early answer would leave calls of ours running
    .use(injectLambdaContext(logger, { logEvent: false, resetKeys: true }) as MiddlewareObj<unknown, Result>)
    .use(metricsFlushed(metrics))
    .use(errorsLogged(logger))
    .handler(async (event: unknown, context: Context) => work(event, run(context)));
}

/** Not the library's own middleware: that one warns of every invocation which had nothing to count. */
function metricsFlushed<Result>(metrics: Metrics): MiddlewareObj<unknown, Result> {
  const flush = () => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return { after: flush, onError: flush };
}

/** The error goes on to Lambda, which retries or reports it; here it gets its line with message, cause and stack. */
function errorsLogged<Result>(logger: Logger): MiddlewareObj<unknown, Result> {
  return {
    onError: ({ error }) => {
      logger.error('failed', { error: error instanceof Error ? error : new Error(String(error)) });
    },
  };
}

/** SQS takes 1 MiB, a quarter of that before 2025: a longer body is cut. */
function textOf(body: unknown): string {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? String(body));
  return text.length > 200_000 ? text.slice(0, 200_000) : text;
}
