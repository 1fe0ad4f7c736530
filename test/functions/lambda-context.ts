/** A Lambda context for tests, and the run that a function gets, recorded. */
import type { Context } from 'aws-lambda';
import type { Run } from '../../functions/middleware.ts';

export const lambdaContext: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'leaseway-keep-leases',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:leaseway-keep-leases',
  memoryLimitInMB: '256',
  awsRequestId: '11111111-2222-3333-4444-555555555555',
  logGroupName: 'group',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => 60_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};

export function recordedRun() {
  const metrics: Record<string, number> = {};
  const rejects: { source: string; reason: string; body: unknown }[] = [];
  const lines: string[] = [];
  const run: Run = {
    context: lambdaContext,
    info: (message) => void lines.push(message),
    warn: (message) => void lines.push(message),
    error: (message) => void lines.push(message),
    metric: (name, value) => {
      metrics[name] = (metrics[name] ?? 0) + value;
    },
    reject: async (source, reason, body) => {
      metrics['Rejects'] = (metrics['Rejects'] ?? 0) + 1;
      rejects.push({ source, reason, body });
    },
  };
  return { run, metrics, rejects, lines };
}
