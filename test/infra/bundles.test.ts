import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { buildAll } from '../../infra/build.ts';
import { functionNames } from '../../infra/entry-points.ts';
import { type EmptyAws, emptyAws } from './empty-aws.ts';

const root = resolve(import.meta.dirname, '../..');
const names = functionNames(root);

let aws: EmptyAws;
before(async () => {
  await buildAll(root);
  aws = await emptyAws();
});
after(() => aws.close());

/** The environment of a function, and neither NODE_PATH nor a home: nothing but its own folder can be found. */
const environment = () => ({
  NETWORK: 'default',
  CLAIMS_TABLE: 'claims',
  LEASES_TABLE: 'leases',
  MAP_TABLE: 'map',
  ROUTE_TABLE_IDS: 'rtb-0a1,rtb-0b2,rtb-0c3',
  EVENT_BUS_NAME: 'default',
  REJECTS_QUEUE_URL: `${aws.url}/111122223333/rejects`,
  POWERTOOLS_SERVICE_NAME: 'test',
  POWERTOOLS_METRICS_NAMESPACE: 'Leaseway',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: aws.url,
});

/** Answers by the function's runtime: the last line of output; logs and metrics come before it. */
const program = (event: unknown) => `
  const { handler } = await import('./index.mjs');
  const context = {
    functionName: 'test', awsRequestId: 'request', getRemainingTimeInMillis: () => 60000,
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:111122223333:function:test',
  };
  console.log('\\n' + JSON.stringify(await handler(${JSON.stringify(event)}, context) ?? null));
`;

async function invoke(name: string, eventFile: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'leaseway-bundle-'));
  try {
    await cp(join(root, `dist/functions/${name}/index.mjs`), join(folder, 'index.mjs'));
    const event = JSON.parse(await readFile(join(root, 'infra/events', eventFile), 'utf8'));
    const code = ['--input-type=module', '--eval', program(event)];
    const { stdout } = await promisify(execFile)(process.execPath, code, { cwd: folder, env: environment() });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What each function is sent, and what it answers in an account in which nothing is. */
const samples: Record<string, readonly { event: string; answers?: unknown; calls: string }[]> = {
  'keep-leases': [
    { event: 'instance-state/terminated.json', calls: 'GetItem' },
    { event: 'sweep.json', calls: 'Query' },
    { event: 'claims-stream.json', answers: { batchItemFailures: [] }, calls: 'GetItem' },
  ],
  'publish-lease-changes': [{ event: 'leases-stream.json', answers: { batchItemFailures: [] }, calls: 'PutEvents' }],
  'sync-routes': [
    { event: 'sync-queue/schedule.json', answers: { batchItemFailures: [] }, calls: 'Query' },
    { event: 'sync-queue/lease-change.json', answers: { batchItemFailures: [] }, calls: 'Query' },
  ],
  resync: [{ event: 'resync/dry-run.json', calls: 'Query' }],
};

test('every function has a sample event', () => {
  assert.deepEqual(names, Object.keys(samples).sort());
});

for (const [name, invocations] of Object.entries(samples)) {
  for (const { event, answers, calls } of invocations) {
    test(`N1 N2 N3: ${name} in an empty folder, with nothing installed, answers ${event}`, async () => {
      aws.actions.length = 0;
      const answer = await invoke(name, event);
      if (answers !== undefined) assert.deepEqual(answer, answers);
      assert.ok(aws.actions.includes(calls), `it called ${aws.actions.join(' ') || 'nothing'}`);
    });
  }
}
