import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AttachNetworkInterfaceCommand,
  CreateNetworkInterfaceCommand,
  DetachNetworkInterfaceCommand,
} from '@aws-sdk/client-ec2';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test('Q3: an interface that moves to another instance takes no traffic of its old lease along', async (t) => {
  // Both are in one zone: an interface cannot move to another.
  const [first, second] = [instanceId(1), instanceId(4)];
  const stage = await Stage.start(t, { nodes: 4 });
  const { NetworkInterface } = await stage.ec2.send(new CreateNetworkInterfaceCommand({ SubnetId: 'subnet-1' }));
  const moving = NetworkInterface?.NetworkInterfaceId ?? '';
  const attach = async (InstanceId: string) => {
    const command = new AttachNetworkInterfaceCommand({ NetworkInterfaceId: moving, InstanceId, DeviceIndex: 1 });
    return (await stage.ec2.send(command)).AttachmentId;
  };
  const AttachmentId = await attach(first);
  const [answer] = await stage.joinWanting({ eniId: moving }, first);
  await stage.idle();
  const subnet = answer?.subnet ?? '';
  for (const id of tableIds) assert.deepEqual(stage.ours(id), [`${subnet} ${moving} active`], id);
  stage.forget();

  await stage.ec2.send(new DetachNetworkInterfaceCommand({ AttachmentId }));
  await attach(second);
  await stage.schedule('SweepScheduleRule');
  await stage.idle();
  await t.test('the old lease is routed to the primary interface of its node, by one replace a table', async () => {
    for (const id of tableIds) assert.deepEqual(stage.ours(id), [`${subnet} ${eniId(1)} active`], id);
    assert.deepEqual(
      stage.writes(),
      tableIds.map((id) => `ReplaceRoute ${id} ${subnet}`),
    );
  });

  await t.test('the other instance claims with it, and the first without it', async () => {
    const [other] = await stage.joinWanting({ eniId: moving }, second);
    assert.equal(other?.status, 'granted');
    const [renewed] = await stage.join(first);
    assert.equal(renewed?.subnet, subnet);
    await stage.idle();
    await stage.schedule('SweepScheduleRule');
    await stage.idle();
    const rows = [`${subnet} ${eniId(1)} active`, `${other?.subnet} ${moving} active`].sort();
    for (const id of tableIds) assert.deepEqual(stage.ours(id), rows, id);
  });
});
