import assert from 'node:assert/strict';
import {
  DescribeInstancesCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { addedRoutes, addRoute, makeNetwork, present, reaches, refusal, runNode } from '../../../contract/ec2-bench.ts';
import { testEc2 } from './with-ec2.ts';

testEc2('each step of an instance is told to the event bus as EC2 does', async (ec2) => {
  const { client } = ec2;
  const { instanceId } = await runNode(await makeNetwork(ec2));
  const InstanceIds = [instanceId];
  await client.send(new StopInstancesCommand({ InstanceIds }));
  await reaches(client, instanceId, 'stopped');
  await client.send(new StartInstancesCommand({ InstanceIds }));
  await reaches(client, instanceId, 'running');
  await client.send(new TerminateInstancesCommand({ InstanceIds }));
  await reaches(client, instanceId, 'terminated');
  assert.deepEqual(
    ec2.events.map(({ detail }) => detail['state']),
    ['pending', 'running', 'stopping', 'stopped', 'pending', 'running', 'shutting-down', 'terminated'],
  );
  assert.deepEqual(ec2.events[0], {
    source: 'aws.ec2',
    detailType: 'EC2 Instance State-change Notification',
    time: Date.parse('2026-03-01T00:00:00Z'),
    resources: [`arn:aws:ec2:eu-central-1:123456789012:instance/${instanceId}`],
    detail: { 'instance-id': instanceId, state: 'pending' },
  });
});

for (const [ending, Command] of [
  ['stopping', StopInstancesCommand],
  ['shutting-down', TerminateInstancesCommand],
] as const) {
  testEc2(
    `a route stays active while its instance is ${ending}`,
    async (ec2) => {
      const { client } = ec2;
      const network = await makeNetwork(ec2);
      ec2.ec2.seed({
        instances: [
          {
            InstanceId: 'i-1',
            State: { Name: 'running' },
            NetworkInterfaces: [
              { NetworkInterfaceId: 'eni-1', SubnetId: network.subnetId, PrivateIpAddress: '10.0.1.9' },
            ],
          },
        ],
      });
      await addRoute(network, '10.244.1.0/24', 'eni-1');
      await client.send(new Command({ InstanceIds: ['i-1'] }));
      await reaches(client, 'i-1', ending);
      const [route] = await addedRoutes(client, network.table);
      assert.deepEqual([route?.State, route?.InstanceId], ['active', 'i-1']);
    },
    { transitionMs: 3_600_000 },
  );
}

testEc2(
  'an instance that is still pending cannot be stopped',
  async (ec2) => {
    const { subnetId } = await makeNetwork(ec2);
    const run = { ImageId: 'ami-1', MinCount: 1, MaxCount: 1, SubnetId: subnetId };
    const { Instances } = await ec2.client.send(new RunInstancesCommand(run));
    const InstanceIds = [present(Instances?.[0]?.InstanceId)];
    const stop = ec2.client.send(new StopInstancesCommand({ InstanceIds }));
    assert.match(await refusal(stop), /^400 IncorrectInstanceState/);
    const { TerminatingInstances } = await ec2.client.send(new TerminateInstancesCommand({ InstanceIds }));
    assert.equal(TerminatingInstances?.[0]?.PreviousState?.Name, 'pending');
  },
  { transitionMs: 3_600_000 },
);

testEc2(
  'a stopped instance that is terminated stays a blackhole throughout',
  async (ec2) => {
    const { client } = ec2;
    const network = await makeNetwork(ec2);
    const nic = { NetworkInterfaceId: 'eni-1', SubnetId: network.subnetId, PrivateIpAddress: '10.0.1.9' };
    ec2.ec2.seed({ instances: [{ InstanceId: 'i-1', State: { Name: 'stopped' }, NetworkInterfaces: [nic] }] });
    await addRoute(network, '10.244.1.0/24', 'eni-1');
    await client.send(new TerminateInstancesCommand({ InstanceIds: ['i-1'] }));
    assert.equal((await addedRoutes(client, network.table))[0]?.State, 'blackhole');
  },
  { transitionMs: 3_600_000 },
);

testEc2('a forgotten instance is unknown, its routes are blackholes, and no event tells of it', async (ec2) => {
  const { client } = ec2;
  const network = await makeNetwork(ec2);
  const { instanceId, eniId } = await runNode(network);
  await addRoute(network, '10.244.1.0/24', eniId);
  const told = ec2.events.length;
  ec2.ec2.forgetInstance(instanceId);
  const byId = new DescribeInstancesCommand({ InstanceIds: [instanceId] });
  assert.match(await refusal(client.send(byId)), /InvalidInstanceID\.NotFound/);
  assert.equal((await addedRoutes(client, network.table))[0]?.State, 'blackhole');
  assert.equal(ec2.events.length, told);
});
