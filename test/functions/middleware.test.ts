import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { lambda, type Run } from '../../functions/middleware.ts';
import { lambdaContext } from './lambda-context.ts';

// Makes Powertools write through the global console, where the lines can be read, and metrics with it.
process.env['POWERTOOLS_DEV'] = 'true';
process.env['POWERTOOLS_METRICS_DISABLED'] = 'false';

const lines: string[] = [];
for (const method of ['log', 'info', 'warn', 'error'] as const) {
  mock.method(console, method, (line: string) => void lines.push(line));
}
beforeEach(() => {
  lines.length = 0;
});

function handlerOf(work: (event: unknown, run: Run) => Promise<unknown>, put = async (_: unknown) => {}) {
  return lambda({ network: 'blue', rejects: { put }, work });
}

const metricLines = () => lines.map((line) => JSON.parse(line)).filter((line) => '_aws' in line);

test('metrics leave as one embedded line of namespace Leaseway with Network as the only dimension', async () => {
  await handlerOf(async (_, run) => {
    run.metric('StaleLeases', 3);
    run.metric('EventToRoute', 1.5, 'Seconds');
  })({}, lambdaContext);
  const [line, ...rest] = metricLines();
  assert.equal(rest.length, 0);
  assert.deepEqual(line._aws.CloudWatchMetrics[0].Namespace, 'Leaseway');
  assert.deepEqual(line._aws.CloudWatchMetrics[0].Dimensions, [['Network']]);
  assert.equal(line.Network, 'blue');
  assert.equal(line.StaleLeases, 3);
  assert.equal('service' in line, false);
});

test('an invocation with nothing to count writes no line', async () => {
  assert.equal(await handlerOf(async () => 'done')({}, lambdaContext), 'done');
  assert.deepEqual(lines, []);
});

test('H8 what cannot be read is counted, named and sent to the rejects queue, and its body is not logged', async () => {
  const sent: unknown[] = [];
  const handler = handlerOf(
    async (event, run) => {
      await run.reject('test', 'claim.mtu: is not a number', event);
      return 'went on';
    },
    async (reject) => void sent.push(reject),
  );
  assert.equal(await handler({ password: 'tell-nobody' }, lambdaContext), 'went on');
  assert.deepEqual(sent, [
    { source: 'test', reason: 'claim.mtu: is not a number', body: '{"password":"tell-nobody"}' },
  ]);
  assert.equal(metricLines()[0].Rejects, 1);
  assert.match(lines.join('\n'), /claim\.mtu/);
  assert.doesNotMatch(lines.join('\n'), /tell-nobody/);
});

test('a rejects queue that fails blocks nothing and is said', async () => {
  const handler = handlerOf(
    async (_, run) => {
      await run.reject('test', 'unreadable', 'x');
      return 'went on';
    },
    async () => {
      throw new Error('no such queue');
    },
  );
  assert.equal(await handler({}, lambdaContext), 'went on');
  assert.match(lines.join('\n'), /no such queue/);
});

test('an error reaches Lambda, has its line with the network and the request, and loses no metric', async () => {
  const handler = handlerOf(async (_, run) => {
    run.metric('RoutesFailed', 1);
    throw new Error('table is away', { cause: new Error('socket hang up') });
  });
  await assert.rejects(Promise.resolve(handler({ secret: 'tell-nobody' }, lambdaContext)), /table is away/);
  assert.equal(metricLines()[0].RoutesFailed, 1);
  const line = lines.map((text) => JSON.parse(text)).find((parsed) => parsed.level === 'ERROR');
  assert.equal(line.network, 'blue');
  assert.equal(line.function_request_id, lambdaContext.awsRequestId);
  assert.match(JSON.stringify(line.error), /table is away.*socket hang up/);
  assert.doesNotMatch(lines.join('\n'), /tell-nobody/);
});
