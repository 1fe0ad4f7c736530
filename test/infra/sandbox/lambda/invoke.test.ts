import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvokeCommand, type InvokeCommandInput } from '@aws-sdk/client-lambda';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox();
const { lambda } = clients(sandbox);

async function invoke(event: unknown, more: Partial<InvokeCommandInput> = {}) {
  const Payload = Buffer.from(JSON.stringify(event));
  const {
    StatusCode,
    FunctionError,
    Payload: answer,
  } = await lambda.send(new InvokeCommand({ FunctionName: 'fixture-worker', Payload, ...more }));
  const text = Buffer.from(answer ?? []).toString();
  return { StatusCode, FunctionError, answer: text === '' ? undefined : JSON.parse(text) };
}

async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a function answers with what its handler returns', async () => {
  const { StatusCode, FunctionError, answer } = await invoke({ order: 'echo', n: 1 });
  assert.equal(StatusCode, 200);
  assert.equal(FunctionError, undefined);
  assert.deepEqual(answer.order, { order: 'echo', n: 1 });
  assert.equal(answer.functionName, 'fixture-worker');
  assert.ok(answer.remaining > 0 && answer.remaining <= 20_000);
});

test('the tail of its log comes with the answer when it is asked for', async () => {
  const Payload = Buffer.from(JSON.stringify({ order: 'echo', n: 'in the log' }));
  const FunctionName = 'fixture-worker';
  for (const round of ['cold or warm', 'warm']) {
    const { LogResult } = await lambda.send(new InvokeCommand({ FunctionName, Payload, LogType: 'Tail' }));
    const lines = Buffer.from(LogResult ?? '', 'base64')
      .toString()
      .split('\n');
    assert.match(lines[0] ?? '', /^START RequestId: [0-9a-f-]{36} Version: \$LATEST$/, round);
    assert.deepEqual(lines.slice(1, 2), ['{"saw":{"order":"echo","n":"in the log"}}'], round);
    assert.match(lines.slice(2).join('\n'), /^END RequestId: .*\nREPORT RequestId: .*Memory Size: 128 MB/, round);
  }
  assert.equal((await lambda.send(new InvokeCommand({ FunctionName, Payload }))).LogResult, undefined);
});

test('a function is found by its ARN too', async () => {
  const { answer } = await invoke(
    { order: 'echo' },
    { FunctionName: 'arn:aws:lambda:eu-central-1:123456789012:function:fixture-worker' },
  );
  assert.equal(answer.functionName, 'fixture-worker');
});

test("a function's environment is the template's, Lambda's and nothing of the machine's", async () => {
  const { environment } = (await invoke({ order: 'echo' })).answer;
  assert.equal(environment.NETWORK, 'blue');
  assert.equal(environment.TABLES, 'rtb-aaaa1111,rtb-bbbb2222');
  assert.equal(environment.LEASES_TABLE, 'fixture-LeasesTable');
  assert.equal(environment.AWS_ENDPOINT_URL, sandbox.url);
  assert.equal(environment.AWS_REGION, 'eu-central-1');
  assert.equal(environment.AWS_LAMBDA_FUNCTION_NAME, 'fixture-worker');
  assert.match(environment.AWS_ACCESS_KEY_ID, /^LAMBDA\.Worker\.\d+$/);
  assert.equal(environment.HOME, undefined);
  assert.equal(environment.NODE_OPTIONS, undefined);
});

test('a handler that throws is a function error with its type and message', async () => {
  const { StatusCode, FunctionError, answer } = await invoke({ order: 'fail', message: 'no luck' });
  assert.equal(StatusCode, 200);
  assert.equal(FunctionError, 'Unhandled');
  assert.equal(answer.errorType, 'TypeError');
  assert.equal(answer.errorMessage, 'no luck');
});

test('a process is used again, also after an error', async () => {
  const first = (await invoke({ order: 'echo' })).answer.pid;
  await invoke({ order: 'fail' });
  assert.equal((await invoke({ order: 'echo' })).answer.pid, first);
});

test('invocations at the same time run in processes of their own', async () => {
  const answers = await Promise.all([1, 2].map(() => invoke({ order: 'sleep', ms: 300 })));
  assert.notEqual(answers[0]?.answer.pid, answers[1]?.answer.pid);
});

test('a process that runs out of time is ended, and the next invocation has a new one', async () => {
  const before = (await invoke({ order: 'echo' }, { FunctionName: 'fixture-Hasty' })).answer.pid;
  const { FunctionError, answer } = await invoke({ order: 'sleep', ms: 60_000 }, { FunctionName: 'fixture-Hasty' });
  assert.equal(FunctionError, 'Unhandled');
  assert.match(answer.errorMessage, /Task timed out after 1\.00 seconds$/);
  assert.throws(() => process.kill(before, 0), { code: 'ESRCH' });
  assert.notEqual((await invoke({ order: 'echo' }, { FunctionName: 'fixture-Hasty' })).answer.pid, before);
});

test('a process that exits is an error of its invocation alone', async () => {
  const { FunctionError, answer } = await invoke({ order: 'exit' });
  assert.equal(FunctionError, 'Unhandled');
  assert.match(answer.errorMessage, /Runtime exited with error: exit status 3/);
  assert.equal((await invoke({ order: 'echo' })).FunctionError, undefined);
});

test('beyond the reserved concurrency a synchronous invocation is throttled', async () => {
  const long = invoke({ order: 'sleep', ms: 400 }, { FunctionName: 'fixture-Single' });
  await until(() => sandbox.lambda.pool('fixture-Single').running === 1);
  await assert.rejects(invoke({ order: 'echo' }, { FunctionName: 'fixture-Single' }), {
    name: 'TooManyRequestsException',
  });
  assert.equal((await long).FunctionError, undefined);
});

test("a function sees the sandbox's time, also when it is advanced while a process is warm", async () => {
  const near = (time: number) => Math.abs(time - sandbox.clock.now()) < 60_000;
  assert.ok(near((await invoke({ order: 'echo' })).answer.now));
  sandbox.clock.advance(86_400);
  const { answer } = await invoke({ order: 'echo' });
  assert.ok(near(answer.now));
  assert.ok(near(Date.parse(answer.constructed)));
  assert.equal(answer.isDate, true);
});

test('an advance of the clock ends no invocation', async () => {
  const running = invoke({ order: 'sleep', ms: 300 });
  await until(() => sandbox.lambda.pool('fixture-worker').running === 1);
  sandbox.clock.advance(3600);
  assert.equal((await running).FunctionError, undefined);
});

test('a dry run runs nothing', async () => {
  const before = sandbox.lambda.pool('fixture-worker').invocations;
  assert.equal((await invoke({ order: 'echo' }, { InvocationType: 'DryRun' })).StatusCode, 204);
  assert.equal(sandbox.lambda.pool('fixture-worker').invocations, before);
});

test('what a function logs can be read', async () => {
  await invoke({ order: 'echo', note: 'find me' });
  await until(() => sandbox.lambda.pool('fixture-worker').log.some((line) => line.includes('find me')));
  const functions = JSON.stringify(await control(sandbox, 'GET', 'functions'));
  assert.match(functions, /find me/);
});

test('a bundle that cannot be loaded is an error of the invocation', async () => {
  const { FunctionError, answer } = await invoke({}, { FunctionName: 'fixture-Broken' });
  assert.equal(FunctionError, 'Unhandled');
  assert.equal(answer.errorType, 'Runtime.ImportModuleError');
});
