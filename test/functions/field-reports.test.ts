/** Field reports about the frame that functions run in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { lambda } from '../../functions/middleware.ts';
import { lambdaContext } from './lambda-context.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

test('N6: a wrapped handler is an async function of event and context, and nothing calls back', async () => {
  const seen: unknown[] = [];
  const handler = lambda<string>({
    network: 'blue',
    rejects: { put: async () => {} },
    work: async (event, { context }) => {
      seen.push(event, context.awsRequestId);
      return 'done';
    },
  });
  const answer: string = await handler({ n: 1 }, lambdaContext);
  assert.equal(answer, 'done');
  assert.deepEqual(seen, [{ n: 1 }, lambdaContext.awsRequestId]);
  // Node 24's runtime refuses handlers that ask for a callback.
  assert.ok(handler.length <= 2, `${handler.length} parameters`);
});

test('N6: what the frame is made of is pinned to one version', () => {
  for (const name of ['@middy/core', '@aws-lambda-powertools/logger', '@aws-lambda-powertools/metrics'])
    assert.match(manifest.dependencies[name] ?? '', /^\d+\.\d+\.\d+$/, name);
});
