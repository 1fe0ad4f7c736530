/** The adapters on the embedded stack, each called by the function that uses it and with no more rights than its role has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import { functionsOf } from '../../../infra/sandbox/template/functions.ts';
import { readStack } from '../../../infra/sandbox/template/stack.ts';
import { dynamoClaimStore } from '../../../shared/aws/claim-store.ts';
import { documentClient, ec2Client, ec2WriteClient, eventsClient, queueClient } from '../../../shared/aws/clients.ts';
import { ec2Instances } from '../../../shared/aws/instances.ts';
import { dynamoLeaseBook } from '../../../shared/aws/lease-book.ts';
import { dynamoLock } from '../../../shared/aws/lock.ts';
import { dynamoMapStore } from '../../../shared/aws/map-store.ts';
import { eventBridgePublisher } from '../../../shared/aws/publisher.ts';
import { sqsRejects } from '../../../shared/aws/rejects.ts';
import { ec2RouteTables } from '../../../shared/aws/route-tables.ts';
import { dynamoSyncState } from '../../../shared/aws/sync-state.ts';
import { listedVpc } from '../../../shared/aws/vpc.ts';
import { readFunctionConfig } from '../../../shared/config/function-config.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { arnOf, holderRecord, leaseRecord } from '../../contract/lease-samples.ts';
import { mapContent } from '../../contract/map-store-contract.ts';

const templateFile = fileURLToPath(new URL('../../../infra/template.yaml', import.meta.url));
const parameters = { RouteTableIds: 'rtb-1,rtb-2' };
const destination = parseCidr('10.244.1.0/24', 'destination');
const netConf = parseNetworkConfig({
  Network: '10.244.0.0/16',
  SubnetLen: 24,
  Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1' },
});

const sandbox = await startSandbox({ templateFile, parameters, functions: false });
after(() => sandbox.close());
sandbox.ec2.seed({
  vpcs: [{ VpcId: 'vpc-1', CidrBlock: '10.0.0.0/16' }],
  routeTables: ['rtb-1', 'rtb-2', 'rtb-3'].map((RouteTableId) => ({ RouteTableId, VpcId: 'vpc-1' })),
  instances: [
    {
      InstanceId: 'i-1',
      State: { Name: 'running' },
      NetworkInterfaces: [
        {
          NetworkInterfaceId: 'eni-1',
          SubnetId: 'subnet-1',
          VpcId: 'vpc-1',
          PrivateIpAddress: '10.0.1.10',
          SourceDestCheck: true,
          Attachment: { DeviceIndex: 0, Status: 'attached', AttachmentId: 'eni-attach-1' },
        },
      ],
    },
  ],
});

const stack = readStack(readFileSync(templateFile, 'utf8'), {
  stackName: 'leaseway',
  parameters,
  endpoint: sandbox.url,
});

/** The adapters as the function has them: its role, its environment as the template gives it. */
function as(logicalId: string) {
  const model = functionsOf(stack, '.').find((candidate) => candidate.logicalId === logicalId);
  const config = readFunctionConfig({ ...model?.environment, AWS_REGION: 'eu-central-1' });
  const options = {
    region: config.region,
    endpoint: sandbox.url,
    credentials: { accessKeyId: `LAMBDA.${logicalId}.1`, secretAccessKey: 'test' },
  };
  const [client, reads, writes] = [documentClient(options), ec2Client(options), ec2WriteClient(options)];
  const [events, queue] = [eventsClient(options), queueClient(options)];
  after(() => {
    for (const one of [client, reads, writes, events, queue]) one.destroy();
  });
  const { network } = config;
  const tables = ec2RouteTables({ reads, writes });
  const map = { client, network, tableName: config.mapTable };
  const givenUp: string[] = [];
  return {
    config,
    claims: dynamoClaimStore({ client, tableName: config.claimsTable }),
    book: dynamoLeaseBook({ client, network, tableName: config.leasesTable }),
    instances: ec2Instances({ client: reads }),
    tables,
    vpc: listedVpc(tables, config.routeTableIds),
    maps: dynamoMapStore(map),
    state: dynamoSyncState(map),
    lock: dynamoLock(map),
    rejects: sqsRejects({ client: queue, queueUrl: config.rejectsQueueUrl }),
    publisher: eventBridgePublisher({
      client: events,
      busName: config.eventBusName,
      onGivenUp: (_, reason) => givenUp.push(reason),
    }),
    givenUp,
  };
}

const keeper = as('KeepLeasesFunction');
const sync = as('SyncRoutesFunction');
const resync = as('ResyncFunction');
const changes = as('PublishLeaseChangesFunction');

test('the keeper can do all that its ports promise', async () => {
  await keeper.claims.writeAnswer(arnOf('i-1'), { claimId: 'claim-1', status: 'pending', reason: 'soon' });
  assert.notEqual((await keeper.claims.read(arnOf('i-1'))).answer, null);

  const config = { item: { text: '{}', revision: 1, appliedAt: 1 }, expected: null };
  assert.equal(await keeper.book.commit({ config, counter: 0 }), 'done');
  const leases = [{ item: leaseRecord(1), expected: null }];
  const holders = [{ item: holderRecord(1), expected: null }];
  assert.equal(await keeper.book.commit({ leases, holders, configRevision: 1 }), 'done');
  assert.deepEqual((await keeper.book.readAll()).leases, [leaseRecord(1)]);
  assert.notEqual(await keeper.book.readHolder('i-1'), null);

  await keeper.instances.switchOffSourceDestCheck('eni-1');
  assert.equal((await keeper.instances.describe(['i-1']))[0]?.interfaces[0]?.sourceDestCheck, false);
  assert.equal((await keeper.instances.describeInterfaces(['eni-1'])).length, 1);
  assert.equal((await keeper.vpc.read(netConf)).vpcId, 'vpc-1');
});

for (const [name, { book, tables, maps, state, lock }] of Object.entries({ sync, resync })) {
  test(`the ${name} can do all that its ports promise, and can write no table that is not listed`, async () => {
    await book.readAll();
    await book.readCounter();
    assert.equal((await tables.readVpc('vpc-1')).length, 3);
    await tables.create('rtb-1', destination, 'eni-1');
    await tables.replace('rtb-1', destination, 'eni-1');
    await tables.remove('rtb-1', destination);
    await assert.rejects(tables.create('rtb-3', destination, 'eni-1'), { meaning: 'denied' });

    assert.equal(await lock.tryTake('me', 1, 2), true);
    await lock.release('me');
    await state.write({ pass: 1 });
    assert.deepEqual(await state.read(), { pass: 1 });
    // Three, so that a part is written, kept and removed.
    for (const leases of [1, 2, 3]) {
      const previous = await maps.read();
      assert.ok(previous !== 'damaged');
      assert.notEqual(await maps.publish(mapContent(leases), previous, 1), 'conflict');
    }
  });
}

const admin = queueClient({
  region: 'eu-central-1',
  endpoint: sandbox.url,
  credentials: { accessKeyId: 'admin', secretAccessKey: 'test' },
});
after(() => admin.destroy());

/** Messages that wait for the sync. */
async function waiting(): Promise<number> {
  const QueueUrl = `${sandbox.url}/123456789012/leaseway-sync.fifo`;
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await admin.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.ApproximateNumberOfMessages);
}

for (const [name, { publisher, rejects, givenUp }] of Object.entries({ keeper, sync, resync, changes })) {
  test(`the events of the ${name} reach the sync and its rejects their queue`, async () => {
    const before = await waiting();
    const detail = { network: 'default', from: name };
    const events = Array.from({ length: 11 }, () => ({ detailType: 'Lease Change', detail }));
    assert.deepEqual(await publisher.put(events), [], givenUp.join(' '));
    await sandbox.idle();
    assert.equal((await waiting()) - before, 11);

    await rejects.put({ source: name, reason: 'is no JSON', body: '{' });
    const command = new ReceiveMessageCommand({ QueueUrl: sync.config.rejectsQueueUrl, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await admin.send(command);
    assert.ok(Messages.some(({ Body = '' }) => JSON.parse(Body).source === name));
  });
}
