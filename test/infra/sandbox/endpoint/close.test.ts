import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

test('closing ends every process, in mid-invocation too, and frees the port', async () => {
  const sandbox = await fixtureSandbox();
  const { lambda } = clients(sandbox);
  const invoke = (event: unknown) =>
    lambda.send(new InvokeCommand({ FunctionName: 'fixture-worker', Payload: JSON.stringify(event) }));
  const { Payload } = await invoke({ order: 'echo' });
  const { pid } = JSON.parse(Buffer.from(Payload ?? []).toString());
  process.kill(pid, 0);
  const running = invoke({ order: 'sleep', ms: 60_000 }).then(
    () => 'answered',
    () => 'broken off',
  );
  while (sandbox.lambda.pool('fixture-worker').running === 0) await new Promise((resolve) => setImmediate(resolve));
  await sandbox.close();
  assert.ok(['answered', 'broken off'].includes(await running));
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  await assert.rejects(fetch(sandbox.url));
  const again = await fixtureSandbox({ port: sandbox.port });
  assert.equal(again.port, sandbox.port);
  await sandbox.close();
});
