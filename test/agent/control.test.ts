import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startControl } from '../../agent/control.ts';
import type { NodeIdentity } from '../../agent/identity/node-identity.ts';
import { dynamoClaimStore } from '../../shared/aws/claim-store.ts';
import { dynamoMapStore } from '../../shared/aws/map-store.ts';
import { type Claim, parseClaim } from '../../shared/domain/claim.ts';
import type { MapLease } from '../../shared/domain/map.ts';
import type { AgentMap } from '../../shared/domain/read-map.ts';
import { leases, startDynamoDb } from '../infra/sandbox/dynamodb/sandbox-dynamodb.ts';
import { arn, granted, subnet } from './claim/claim-bench.ts';
import { recordedLog } from './fakes/log.ts';
import { VirtualClock } from './fakes/virtual-clock.ts';
import { listener, subnetsOf } from './watch/listener.ts';

const identity: NodeIdentity = {
  instance: { arn, instanceId: 'i-1', region: 'eu-central-1', account: '123456789012', partition: 'aws' },
  interface: {
    name: 'ens5',
    index: 2,
    mac: '02:00:00:00:00:01',
    mtu: 9001,
    ipv4: { address: '10.0.1.10', prefix: 24, onLinkPrefix: 24 },
    ipv6: null,
    gateway: '10.0.1.1',
    ipv6Gateway: null,
    why: 'ens5 has the default route',
  },
  eni: { eniId: 'eni-1', subnetId: 'subnet-1', isPrimary: true },
};

const lease: MapLease = {
  subnet: '10.244.1.0/24',
  ipv6Subnet: null,
  instanceId: 'i-1',
  eniId: 'eni-1',
  nodeIp: '10.0.1.10',
  nodeIpv6: null,
  subnetId: 'subnet-1',
  segment: null,
  vtepMac: '02:00:00:00:00:01',
  state: 'active',
  routedIn: [],
  ipv6RoutedIn: [],
};

/** The claims and map tables with a keeper that a test plays, and an agent's control side at work. */
async function bench(
  t: TestContext,
  options: { claims?: boolean; eni?: NodeIdentity['eni']; subnetEnv?: string } = {},
) {
  const world = await startDynamoDb(t, [
    { ...leases, TableName: 'claims' },
    { ...leases, TableName: 'map' },
  ]);
  const stateDir = await mkdtemp(join(tmpdir(), 'leaseway-'));
  const subnetEnv = join(stateDir, 'subnet.env');
  if (options.subnetEnv !== undefined) await writeFile(subnetEnv, options.subnetEnv);
  const clock = new VirtualClock(options.claims === false ? 1 : 2);
  const heard = listener();
  const me = { ...identity, eni: options.eni ?? identity.eni };
  const last = (): AgentMap | null => heard.maps.at(-1) ?? null;
  const control = await startControl(
    {
      network: 'default',
      claimsTable: 'claims',
      mapTable: 'map',
      stateDir,
      subnetEnv,
      subnet: null,
      poll: 5_000,
      version: '0.1.0',
      claims: options.claims ?? true,
    },
    {
      identity: me,
      readIdentity: async () => me,
      appliedRevision: () => last()?.revision ?? null,
      lastMap: last,
      runner: { run: async () => undefined, output: async () => '[]' },
      clockUntil: clock.until,
      log: recordedLog(),
      client: world.documents,
    },
  );
  control.source.start(heard);
  t.after(async () => {
    await control.source.close();
    await control.close(false);
    // A source that ends may write its last map.
    await rm(stateDir, { recursive: true });
  });
  const keeper = dynamoClaimStore({ client: world.documents, tableName: 'claims' });
  const claim = async (): Promise<Claim> => parseClaim((await keeper.read(arn)).claim);
  const answer = async (text: string) => {
    const expiresAt = Math.floor(clock.time / 1000) + 86_400;
    await keeper.writeAnswer(arn, granted(await claim(), text, expiresAt));
  };
  const store = dynamoMapStore({ client: world.documents, tableName: 'map', network: 'default' });
  const publish = (mapLeases: readonly MapLease[]) => {
    const config = { Network: '10.244.0.0/16', Backend: { Type: 'vxlan' }, Leaseway: { LeaseSeconds: 3_600 } };
    return store.publish({ network: 'default', config, tables: [], leases: mapLeases }, null, 1);
  };
  return { clock, control, heard, keeper, claim, answer, publish, stateDir, world };
}

test('a node claims, is answered, finds its lease in the map and renews with its revision', async (t) => {
  const { clock, control, heard, claim, answer, publish, stateDir } = await bench(t);
  await clock.settled();
  const first = await claim();
  assert.deepEqual(
    { ...first, claimId: '' },
    {
      claimId: '',
      network: 'default',
      subnet: null,
      eniId: null,
      onLinkPrefix: 24,
      mtu: 9001,
      revision: null,
      agentVersion: '0.1.0',
      release: false,
    },
  );
  await answer('10.244.1.0/24');
  await publish([lease]);
  await clock.advance(5_000);
  assert.equal(control.claimStatus()?.state, 'granted');
  assert.deepEqual(subnetsOf(heard.maps.at(-1)), ['10.244.1.0/24']);
  assert.match(await readFile(join(stateDir, 'lease.json'), 'utf8'), /"subnet": "10\.244\.1\.0\/24"/);

  await clock.advance(15 * 60_000);
  const second = await claim();
  assert.notEqual(second.claimId, first.claimId);
  assert.deepEqual([second.revision, second.subnet?.text], [1, '10.244.1.0/24']);
});

test('the subnet of a subnet.env that is there already is asked for', async (t) => {
  const { clock, claim } = await bench(t, { subnetEnv: 'FLANNEL_SUBNET=10.244.5.1/24\n' });
  await clock.settled();
  assert.equal((await claim()).subnet?.text, '10.244.5.0/24');
});

test('an ENI that is not the primary one is named', async (t) => {
  const { clock, claim } = await bench(t, { eni: { eniId: 'eni-2', subnetId: 'subnet-1', isPrimary: false } });
  await clock.settled();
  assert.equal((await claim()).eniId, 'eni-2');
});

test('the end keeps the claim, a release hands the lease back', async (t) => {
  const { clock, control, keeper, answer } = await bench(t);
  await clock.settled();
  await answer('10.244.1.0/24');
  await clock.advance(5_000);
  await control.close(false);
  assert.equal(parseClaim((await keeper.read(arn)).claim).release, false);
  await control.close(true);
  assert.equal(parseClaim((await keeper.read(arn)).claim).release, true);
});

test('a run that only looks claims nothing', async (t) => {
  const { clock, control, heard, keeper, publish } = await bench(t, { claims: false });
  await publish([{ ...lease, instanceId: 'i-2', subnet: subnet('10.244.2.0/24').text }]);
  await clock.advance(10_000);
  assert.deepEqual(subnetsOf(heard.maps.at(-1)), ['10.244.2.0/24']);
  assert.equal(control.claimStatus(), null);
  assert.equal((await keeper.read(arn)).claim, null);
});
