/** The keeper's reader of instances and interfaces on moto's EC2; and why not on MiniStack's. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import {
  DescribeInstancesCommand,
  type EC2Client,
  ModifyNetworkInterfaceAttributeCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { ec2Client } from '../../shared/aws/clients.ts';
import { ec2Instances } from '../../shared/aws/instances.ts';
import { attachInterface, makeInterface, present, reaches, refusal } from '../contract/ec2-bench.ts';
import { ec2Crowd } from '../contract/ec2-crowd.ts';
import { type InstancesSubject, runInstancesContract } from '../contract/instances-contract.ts';
import { differencesOf } from './differences.ts';
import { makeSubnet, makeVpc, runInstance } from './ec2-network.ts';
import { credentials, region, startMiniStack } from './ministack.ts';
import { startMoto } from './moto.ts';
import { versionOf } from './third-parties.ts';

const servers = { moto: await startMoto(), ministack: await startMiniStack() };
after(() => Promise.all(Object.values(servers).map((server) => server.close())));

const moto = await versionOf('moto');
test(`instances of ${moto}`, (t) => t.diagnostic(`ran on ${moto}`));
runInstancesContract(`instances of ${moto}`, (t) => subject(t, servers.moto.url), differencesOf('moto', 'instances'));

// Once this fails, the case above shows paging of interfaces, too.
test('moto gives instances in pages, interfaces all at once', async (t) => {
  const client = clientOf(t, servers.moto.url);
  const reader = clientOf(t, servers.moto.url);
  const subnetId = await makeSubnet(client, await makeVpc(client, '10.0.0.0/16'), '10.0.1.0/24');
  const crowd = await ec2Crowd({ client, reader, subnetId });
  const calls: string[] = [];
  reader.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        calls.push(commandName);
        return next(args);
      },
    { step: 'initialize' },
  );
  await crowd.instances.describe(crowd.instanceIds);
  await crowd.instances.describeInterfaces(crowd.eniIds);
  assert.deepEqual(calls, ['DescribeInstancesCommand', 'DescribeInstancesCommand', 'DescribeNetworkInterfacesCommand']);
});

// Once this fails, the contract can be tried on MiniStack too.
test('MiniStack does without the interfaces of instances, so that its EC2 cannot be under the contract', async (t) => {
  t.diagnostic(`ran on ${await versionOf('ministack')}`);
  const client = clientOf(t, servers.ministack.url);
  const subnetId = await makeSubnet(client, await makeVpc(client, '10.0.0.0/16'), '10.0.1.0/24');
  assert.deepEqual((await runInstance(client, subnetId)).NetworkInterfaces ?? [], []);
  const Filters = [{ Name: 'instance-id', Values: ['i-00000000000000bad'] }];
  assert.equal((await client.send(new DescribeInstancesCommand({ Filters }))).Reservations?.length, 1);
  const NetworkInterfaceId = await makeInterface(client, subnetId);
  const off = new ModifyNetworkInterfaceAttributeCommand({ NetworkInterfaceId, SourceDestCheck: { Value: false } });
  assert.match(await refusal(client.send(off)), /InvalidAction/);
});

function clientOf(t: TestContext, endpoint: string): EC2Client {
  const client = ec2Client({ endpoint, region, credentials });
  t.after(() => client.destroy());
  return client;
}

async function subject(t: TestContext, endpoint: string): Promise<InstancesSubject> {
  const client = clientOf(t, endpoint);
  const vpcId = await makeVpc(client, '10.0.0.0/16');
  const subnetId = await makeSubnet(client, vpcId, '10.0.1.0/24');
  const [first, second] = [await runInstance(client, subnetId), await runInstance(client, subnetId)];
  const instanceIds = [present(first.InstanceId), present(second.InstanceId)] as const;
  const eni = first.NetworkInterfaces?.[0];
  return {
    instances: ec2Instances({ client }),
    instanceIds,
    eni: {
      eniId: present(eni?.NetworkInterfaceId),
      instanceId: instanceIds[0],
      isPrimary: true,
      subnetId,
      vpcId,
      privateIp: present(eni?.PrivateIpAddress),
      ipv6: null,
      sourceDestCheck: true,
    },
    async stop(id) {
      await client.send(new StopInstancesCommand({ InstanceIds: [id] }));
      await reaches(client, id, 'stopped');
    },
    async terminate(id) {
      await client.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
      await reaches(client, id, 'terminated');
    },
    attach: (id) => attachInterface(client, subnetId, id),
    crowd: () => ec2Crowd({ client, reader: clientOf(t, endpoint), subnetId }),
  };
}
