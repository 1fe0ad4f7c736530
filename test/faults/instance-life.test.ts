import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartInstancesCommand, StopInstancesCommand } from '@aws-sdk/client-ec2';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { Stage } from './stage.ts';

test('events of EC2 move leases as their time says', async (t) => {
  const stage = await Stage.start(t, { nodes: 8 });
  const answers = await stage.join(...[1, 2, 3, 4, 5, 6, 7, 8].map(instanceId));
  await stage.idle();
  const subnets = new Map(answers.map((answer, at) => [at + 1, answer.subnet ?? '']));
  const isRouted = (n: number) =>
    tableIds.filter((id) => stage.ours(id).some((row) => row.startsWith(`${subnets.get(n)} `))).length;
  const stateOf = async (n: number) => (await stage.items('leases', `lease#${subnets.get(n)}`))[0]?.['state'];

  await t.test(
    'terminated alone, with EC2 no longer knowing the instance, frees the lease and removes the routes',
    async () => {
      await stage.control('POST', 'ec2', { op: 'forgetInstance', InstanceId: instanceId(1) });
      await stage.event(instanceId(1), 'terminated', stage.now());
      await stage.idle();
      assert.equal(await stateOf(1), 'released');
      assert.equal(isRouted(1), 0);
    },
  );

  await t.test('also when it arrives while a long sync runs', async () => {
    await stage.fault({
      service: 'ec2',
      action: 'DescribeRouteTables',
      delayMs: 1500,
      times: 1,
      caller: 'SyncRoutesFunction',
    });
    const sync = stage.schedule('SyncScheduleRule');
    await stage.control('POST', 'ec2', { op: 'forgetInstance', InstanceId: instanceId(2) });
    await stage.event(instanceId(2), 'terminated', stage.now());
    await sync;
    await stage.idle();
    assert.equal(await stateOf(2), 'released');
    assert.equal(isRouted(2), 0);
  });

  await t.test('running after terminated of one id brings nothing back', async () => {
    await stage.event(instanceId(1), 'running', stage.now() + 5);
    await stage.idle();
    assert.equal(await stateOf(1), 'released');
    assert.equal(isRouted(1), 0);
  });

  await t.test('a late event of an instance whose subnet another holds now changes nothing', async () => {
    const reply = await stage.command({ command: 'release', subnet: subnets.get(3) });
    assert.equal(reply['ok'], true, JSON.stringify(reply));
    await stage.idle();
    assert.equal(isRouted(3), 0);
    // Instance 4 takes over the subnet that instance 3 had.
    await stage.claim(instanceId(4), 'take-over', { subnet: subnets.get(3) });
    await stage.idle();
    const holder = (await stage.items('leases', `lease#${subnets.get(3)}`))[0];
    await stage.event(instanceId(3), 'terminated', stage.now());
    await stage.idle();
    const after = (await stage.items('leases', `lease#${subnets.get(3)}`))[0];
    assert.equal(after?.['instanceId'], holder?.['instanceId']);
    assert.equal(after?.['state'], holder?.['state']);
  });

  await t.test('events of the same second end right in either order', async () => {
    for (const [n, states] of [
      [5, ['stopped', 'running']],
      [6, ['running', 'stopped']],
    ] as const) {
      const second = stage.now();
      for (const state of states) await stage.event(instanceId(n), state, second);
      await stage.idle();
      // EC2 says that the instance runs: that decides.
      assert.equal(await stateOf(n), 'active', `${n}`);
      assert.equal(isRouted(n), 3);
    }
  });

  await t.test('an older event that comes late changes nothing', async () => {
    await stage.event(instanceId(5), 'running', stage.now() + 10);
    await stage.idle();
    await stage.event(instanceId(5), 'stopped', stage.now() - 100);
    await stage.idle();
    assert.equal(await stateOf(5), 'active');
  });

  await t.test('B12: stop withdraws, start restores, after a weekend too', async () => {
    await stage.ec2.send(new StopInstancesCommand({ InstanceIds: [instanceId(7)] }));
    await settled(async () => isRouted(7) === 0);
    await stage.idle();
    assert.equal(await stateOf(7), 'withdrawn');
    await stage.advance(3 * 86_400);
    await stage.schedule('SweepScheduleRule');
    await stage.schedule('SyncScheduleRule');
    assert.equal(await stateOf(7), 'withdrawn', 'it does not expire');
    await stage.ec2.send(new StartInstancesCommand({ InstanceIds: [instanceId(7)] }));
    await settled(async () => isRouted(7) === 3);
    await stage.idle();
    assert.equal(isRouted(7), 3);
    assert.ok(['active', 'stale'].includes(String(await stateOf(7))), String(await stateOf(7)));
    assert.ok(stage.ours('rtb-a').includes(`${subnets.get(7)} ${eniId(7)} active`));
  });

  await t.test('F10: an instance without a lease costs one look and no call of EC2', async () => {
    stage.forget();
    await stage.event('i-0ffff', 'terminated', stage.now());
    await stage.idle();
    assert.deepEqual(stage.ec2Calls(), []);
    const looks = stage.calls().filter((call) => call.service === 'dynamodb' && call.function !== undefined);
    assert.equal(looks.length, 1, JSON.stringify(looks.map((call) => call.action)));
  });
});

async function settled(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1000 && !(await holds()); look += 1) await new Promise((done) => setTimeout(done, 20));
}
