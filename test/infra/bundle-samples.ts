/** Bundles as Lambda meets them: in a folder with nothing else, in a process of their own, by a real event. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const events = resolve(import.meta.dirname, '../../infra/events');

export interface Sample {
  readonly event: string;
  /** What it answers in an account in which nothing is; undefined: something. */
  readonly answers?: unknown;
  /** An action that it calls. */
  readonly calls: string;
}

/** What each function is sent. */
export const samples: Readonly<Record<string, readonly Sample[]>> = {
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

/** The environment of a function, and neither NODE_PATH nor a home: nothing but its own folder can be found. */
const environment = (url: string) => ({
  NETWORK: 'default',
  CLAIMS_TABLE: 'claims',
  LEASES_TABLE: 'leases',
  MAP_TABLE: 'map',
  ROUTE_TABLE_IDS: 'rtb-0a1,rtb-0b2,rtb-0c3',
  EVENT_BUS_NAME: 'default',
  REJECTS_QUEUE_URL: `${url}/111122223333/rejects`,
  POWERTOOLS_SERVICE_NAME: 'test',
  POWERTOOLS_METRICS_NAMESPACE: 'Leaseway',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: url,
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

export interface Invocation {
  /** The bundle's folder. */
  readonly folder: string;
  /** Name of a sample event. */
  readonly event: string;
  /** Endpoint of AWS. */
  readonly url: string;
  /** The Node to run it on; this process's own unless given. */
  readonly node?: string;
}

/** @returns what the handler answered */
export async function invokeBundle({ folder, event, url, node = process.execPath }: Invocation): Promise<unknown> {
  const place = await mkdtemp(join(tmpdir(), 'leaseway-bundle-'));
  try {
    await cp(join(folder, 'index.mjs'), join(place, 'index.mjs'));
    const code = program(JSON.parse(await readFile(join(events, event), 'utf8')));
    const run = promisify(execFile)(node, ['--input-type=module', '--eval', code], {
      cwd: place,
      env: environment(url),
    });
    return JSON.parse((await run).stdout.trim().split('\n').at(-1) ?? '');
  } finally {
    await rm(place, { recursive: true });
  }
}
