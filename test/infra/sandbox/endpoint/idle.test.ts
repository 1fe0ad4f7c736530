import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeInstancesCommand,
  RunInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import { Activity } from '../../../../infra/sandbox/activity.ts';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

test('idle waits for the end of everything that begun, also of what the end of one thing begins', async () => {
  const activity = new Activity();
  const first = activity.begin('first');
  let ended = false;
  setTimeout(() => {
    first();
    setImmediate(() => {
      const second = activity.begin('second');
      setTimeout(() => {
        ended = true;
        second();
      }, 5);
    });
  }, 5);
  assert.deepEqual(await activity.idle(), []);
  assert.ok(ended);
});

test('idle tells what is left when its time is over', async () => {
  const activity = new Activity();
  const end = activity.begin('for ever');
  activity.watch(() => 'messages');
  assert.deepEqual(await activity.idle(5), ['for ever', 'messages']);
  end();
});

test('an instance on its way to another state is in flight', async () => {
  const sandbox = await fixtureSandbox({ functions: false, transitionMs: 20 });
  const { ec2 } = clients(sandbox);
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId: Vpc?.VpcId, CidrBlock: '10.0.1.0/24' }));
  const { Instances: [instance] = [] } = await ec2.send(
    new RunInstancesCommand({ ImageId: 'ami-00000000000000001', MinCount: 1, MaxCount: 1, SubnetId: Subnet?.SubnetId }),
  );
  const InstanceIds = [instance?.InstanceId ?? ''];
  const state = async () => {
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds }));
    return Reservations[0]?.Instances?.[0]?.State?.Name;
  };
  assert.equal(instance?.State?.Name, 'pending');
  await sandbox.idle();
  assert.equal(await state(), 'running');
  await ec2.send(new StopInstancesCommand({ InstanceIds }));
  await sandbox.idle();
  assert.equal(await state(), 'stopped');
});
