/** What every `Instances` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Instances, InterfaceFacts } from '../../shared/keeper/ports.ts';

export interface InstancesSubject {
  readonly instances: Instances;
  /** Two running instances with one interface each, whose check is on. */
  readonly instanceIds: readonly [string, string];
  /** The interface of the first. */
  readonly eni: InterfaceFacts;
  stop(instanceId: string): Promise<void>;
  terminate(instanceId: string): Promise<void>;
}

export function runInstancesContract(name: string, make: (t: TestContext) => Promise<InstancesSubject>): void {
  describe(name, () => {
    const contract = (title: string, run: (subject: InstancesSubject) => Promise<void>) =>
      test(title, async (t) => run(await make(t)));

    contract('lists the instances that there are, with their interfaces', async (subject) => {
      const { instances, instanceIds, eni } = subject;
      const listed = await instances.describe([...instanceIds, 'i-0bad', instanceIds[0]]);
      assert.deepEqual(listed.map(({ instanceId }) => instanceId).sort(), [...instanceIds].sort());
      assert.deepEqual(
        listed.find(({ instanceId }) => instanceId === instanceIds[0]),
        { instanceId: instanceIds[0], state: 'running', vpcId: eni.vpcId, interfaces: [eni] },
      );
    });

    contract('lists the interfaces that there are', async ({ instances, eni }) => {
      assert.deepEqual(await instances.describeInterfaces([eni.eniId, 'eni-0bad', eni.eniId]), [eni]);
    });

    contract('has nothing to list for no ids', async ({ instances }) => {
      assert.deepEqual(await instances.describe([]), []);
      assert.deepEqual(await instances.describeInterfaces([]), []);
    });

    contract('keeps the interface of a stopped instance', async ({ instances, instanceIds, eni, stop }) => {
      await stop(instanceIds[0]);
      const [stopped] = await instances.describe([instanceIds[0]]);
      assert.deepEqual(stopped, { instanceId: instanceIds[0], state: 'stopped', vpcId: eni.vpcId, interfaces: [eni] });
    });

    contract('shows of a terminated instance that it is', async ({ instances, instanceIds, eni, terminate }) => {
      await terminate(instanceIds[0]);
      const [terminated] = await instances.describe([instanceIds[0]]);
      assert.deepEqual(terminated, { instanceId: instanceIds[0], state: 'terminated', vpcId: null, interfaces: [] });
      assert.deepEqual(await instances.describeInterfaces([eni.eniId]), []);
    });

    contract('switches the source/destination check off, for good', async ({ instances, instanceIds, eni }) => {
      await instances.switchOffSourceDestCheck(eni.eniId);
      await instances.switchOffSourceDestCheck(eni.eniId);
      const off = { ...eni, sourceDestCheck: false };
      assert.deepEqual(await instances.describeInterfaces([eni.eniId]), [off]);
      assert.deepEqual((await instances.describe([instanceIds[0]]))[0]?.interfaces, [off]);
    });
  });
}
