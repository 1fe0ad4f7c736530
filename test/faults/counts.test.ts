import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AttachNetworkInterfaceCommand,
  CreateNetworkInterfaceCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test("calls are as few as can be, and other people's rows stay byte for byte the same", async (t) => {
  const stage = await Stage.start(t, { nodes: 7 });
  const foreign = stage.foreign();
  const six = [1, 2, 3, 4, 5, 6];
  const subnets = new Map<number, string>();

  await t.test('six leases in three tables are eighteen creates, and then none', async () => {
    const answers = await stage.join(...six.map(instanceId));
    for (const [at, answer] of answers.entries()) subnets.set(at + 1, answer.subnet ?? '');
    await stage.idle();
    const writes = stage.writes();
    assert.equal(writes.length, 18, writes.join('\n'));
    assert.ok(writes.every((write) => write.startsWith('CreateRoute ')));
    const rows = [...subnets].map(([n, subnet]) => `${subnet} ${eniId(n)} active`).sort();
    for (const id of tableIds) assert.deepEqual(stage.ours(id), rows);
    stage.forget();
    await stage.schedule('SyncScheduleRule');
    assert.deepEqual(stage.writes(), []);
  });

  await t.test('a quiet sync is one DescribeRouteTables and nothing else at EC2', async () => {
    stage.forget();
    await stage.schedule('SyncScheduleRule');
    assert.deepEqual(stage.ec2Calls(), ['DescribeRouteTables']);
  });

  await t.test('a sweep reads instances and interfaces by filter', async () => {
    stage.forget();
    await stage.schedule('SweepScheduleRule');
    const actions = stage.ec2Calls().sort();
    assert.deepEqual([...new Set(actions)], ['DescribeInstances', 'DescribeNetworkInterfaces']);
    const calls = stage.calls().filter((call) => /^Describe(Instances|NetworkInterfaces)$/.test(call.action));
    for (const call of calls) assert.ok(Array.isArray(call.parameters['Filter']), `${call.action} without a filter`);
  });

  await t.test('a join is three creates and one more reading', async () => {
    stage.forget();
    const [answer] = await stage.join(instanceId(7));
    await stage.idle();
    const subnet = answer?.subnet ?? '';
    subnets.set(7, subnet);
    const calls = stage.ec2Calls('sync-routes');
    assert.deepEqual(
      calls.filter((call) => !call.startsWith('Describe')).sort(),
      tableIds.map((id) => `CreateRoute ${id} ${subnet}`),
    );
    assert.equal(calls.filter((call) => call === 'DescribeRouteTables').length, 2);
    const modified = stage.ec2Calls('keep-leases').filter((call) => call === 'ModifyNetworkInterfaceAttribute');
    assert.equal(modified.length, 1);
  });

  await t.test('an ENI change is three replaces and no delete', async () => {
    const subnet = subnets.get(1) ?? '';
    const { NetworkInterface } = await stage.ec2.send(new CreateNetworkInterfaceCommand({ SubnetId: 'subnet-1' }));
    const eni = NetworkInterface?.NetworkInterfaceId ?? '';
    await stage.ec2.send(
      new AttachNetworkInterfaceCommand({ NetworkInterfaceId: eni, InstanceId: instanceId(1), DeviceIndex: 1 }),
    );
    stage.forget();
    await stage.claim(instanceId(1), 'move', { eniId: eni });
    await stage.idle();
    assert.equal((await stage.answer(instanceId(1)))?.status, 'granted');
    assert.deepEqual(
      stage.writes(),
      tableIds.map((id) => `ReplaceRoute ${id} ${subnet}`),
    );
  });

  await t.test('a leave is three deletes', async () => {
    stage.forget();
    await stage.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId(2)] }));
    await stage.sandbox.idle();
    await until(async () => stage.writes().length >= 3);
    await stage.idle();
    assert.deepEqual(
      stage.writes(),
      tableIds.map((id) => `DeleteRoute ${id} ${subnets.get(2)}`),
    );
  });

  assert.equal(stage.foreign(), foreign);
  assert.equal(JSON.stringify(stage.rows('rtb-public')).includes('10.244.'), false);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}
