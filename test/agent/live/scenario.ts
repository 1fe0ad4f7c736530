/** Run by `live.test.ts` in a fresh network namespace: the real agent, its kernel, and DynamoDB at the same loopback. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStatus } from '../../../agent/serve/read-status.ts';
import { dynamoClaimStore } from '../../../shared/aws/claim-store.ts';
import { dynamoMapStore } from '../../../shared/aws/map-store.ts';
import { parseClaim } from '../../../shared/domain/claim.ts';
import type { MapLease } from '../../../shared/domain/map.ts';
import { leases, startDynamoDb } from '../../infra/sandbox/dynamodb/sandbox-dynamodb.ts';
import { arn, granted } from '../claim/claim-bench.ts';
import { door } from '../watch/map-bench.ts';

const agent = new URL('../../../agent/main.ts', import.meta.url).pathname;
const ip = (args: string) => execFileSync('ip', args.split(' '), { encoding: 'utf8' });

test('claim, lease, routes; DynamoDB away; killed and started again; released', { timeout: 120_000 }, async (t) => {
  ip('link set lo up');
  ip('link add eth0 mtu 9001 type veth peer name wire');
  for (const name of ['eth0', 'wire']) ip(`link set ${name} up`);
  ip('address add 10.0.1.10/24 dev eth0');
  ip('route add default via 10.0.1.1 dev eth0');
  const world = await startDynamoDb(t, [
    { ...leases, TableName: 'claims' },
    { ...leases, TableName: 'map' },
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'leaseway-live-'));
  t.after(() => rm(folder, { recursive: true }));
  const [stateDir, subnetEnv] = [join(folder, 'state'), join(folder, 'subnet.env')];
  const keeper = dynamoClaimStore({ client: world.documents, tableName: 'claims' });
  const store = dynamoMapStore({ client: world.documents, tableName: 'map', network: 'default' });
  let shut = false;
  const { hostname, port } = (await world.client.config.endpoint?.()) ?? assert.fail('no endpoint');
  const endpoint = await door(t, { host: hostname, port: port ?? 0 }, () => shut);
  const start = (...more: string[]) =>
    startAgent(t, endpoint, ['--state-dir', stateDir, '--subnet-env', subnetEnv, ...more]);
  const status = () => readStatus(stateDir).catch(() => null);
  const route = () => ip('route show 10.244.2.0/24 proto 76').trim();

  const first = start();
  await until('it claims', async () => (await keeper.read(arn)).claim !== null);
  const claim = parseClaim((await keeper.read(arn)).claim);
  assert.deepEqual([claim.onLinkPrefix, claim.mtu], [24, 9001]);
  assert.equal((await fetch('http://127.0.0.1:9476/readyz')).status, 503);
  await keeper.writeAnswer(arn, granted(claim, '10.244.1.0/24', Math.floor(Date.now() / 1000) + 3_600));
  const config = { Network: '10.244.0.0/16', Backend: { Type: 'host-gw' } };
  await store.publish({ network: 'default', config, tables: [], leases: [lease(1), lease(2)] }, null, 1);
  await until('it is ready', async () => (await status())?.['ready'] === true);
  assert.equal((await fetch('http://127.0.0.1:9476/readyz')).status, 200);
  assert.match(await readFile(subnetEnv, 'utf8'), /^FLANNEL_SUBNET=10\.244\.1\.1\/24$/m);
  assert.match(route(), /via 10\.0\.1\.11 dev eth0/);

  const second = start();
  assert.equal(await second.exit, 1);
  assert.match(second.log(), new RegExp(`already runs in this network namespace \\(process id ${first.child.pid}\\)`));

  shut = true;
  const problem = async () => ((await status())?.['map'] as { problem: string | null } | undefined)?.problem;
  await until('it notices that DynamoDB is away', async () => typeof (await problem()) === 'string');
  assert.match(route(), /via 10\.0\.1\.11 dev eth0/);
  assert.equal((await status())?.['ready'], true);

  first.child.kill('SIGKILL');
  await first.exit;
  ip('route del 10.244.2.0/24 proto 76 metric 2076');
  const third = start('--release-on-exit');
  await until('it goes on with the last map', async () => (await status())?.['ready'] === true);
  assert.match(route(), /via 10\.0\.1\.11 dev eth0/);

  shut = false;
  await until('it reads maps again', async () => (await problem()) === null);
  third.child.kill('SIGTERM');
  assert.equal(await third.exit, 0, third.log());
  assert.equal(((await keeper.read(arn)).claim as { release?: boolean }).release, true);
  assert.match(route(), /via 10\.0\.1\.11 dev eth0/, 'traffic goes on');
  assert.equal(await status(), null);
});

function lease(number: number): MapLease {
  return {
    subnet: `10.244.${number}.0/24`,
    ipv6Subnet: null,
    instanceId: `i-${number}`,
    eniId: `eni-${number}`,
    nodeIp: `10.0.1.${9 + number}`,
    nodeIpv6: null,
    subnetId: 'subnet-1',
    segment: 'subnet-1',
    vtepMac: `02:00:00:00:00:0${number}`,
    state: 'active',
    routedIn: [],
    ipv6RoutedIn: [],
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  log(): string;
}

function startAgent(t: TestContext, endpoint: string, args: readonly string[]): Started {
  const env = {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    CLAIMS_TABLE: 'claims',
    MAP_TABLE: 'map',
  };
  const child = spawn(process.execPath, [agent, 'run', '--instance', arn, '--poll', '1', ...args], { env });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  t.after(async () => {
    child.kill('SIGKILL');
    await exit;
    t.diagnostic(log);
  });
  return { child, exit, log: () => log };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds()) return;
    await sleep(100);
  }
  assert.fail(`it did not come about that ${what}`);
}
