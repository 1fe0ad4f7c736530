/** What every `Instances` does. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Instances, InterfaceFacts } from '../../shared/keeper/ports.ts';
import { type Differences, describeContract } from './describe-contract.ts';

export interface InstancesSubject {
  readonly instances: Instances;
  /** Two running instances with one interface each, whose check is on. */
  readonly instanceIds: readonly [string, string];
  /** The interface of the first. */
  readonly eni: InterfaceFacts;
  stop(instanceId: string): Promise<void>;
  /** Its interface is one that goes with it. */
  terminate(instanceId: string): Promise<void>;
  /** Attaches a further interface; its id. */
  attach(instanceId: string): Promise<string>;
  /** Starts seven instances more, each for itself; a reader that gets to see no more than five of anything at once. */
  crowd(): Promise<Crowd>;
}

export interface Crowd {
  readonly instances: Instances;
  readonly instanceIds: readonly string[];
  readonly eniIds: readonly string[];
}

/** @param differs see `describeContract` */
export function runInstancesContract(
  name: string,
  make: (t: TestContext) => Promise<InstancesSubject>,
  differs: Differences = {},
): void {
  describeContract(name, make, differs, (contract) => {
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

    contract('tells the primary interface from a further one', async ({ instances, instanceIds, eni, attach }) => {
      const [instanceId] = instanceIds;
      const further = await attach(instanceId);
      const wanted = new Map([
        [eni.eniId, [instanceId, true]],
        [further, [instanceId, false]],
      ]);
      const [instance] = await instances.describe([instanceId]);
      for (const listed of [instance?.interfaces, await instances.describeInterfaces([eni.eniId, further])]) {
        assert.deepEqual(new Map(listed?.map((each) => [each.eniId, [each.instanceId, each.isPrimary]])), wanted);
      }
    });

    contract('keeps the interface of a stopped instance', async ({ instances, instanceIds, eni, stop }) => {
      await stop(instanceIds[0]);
      const [stopped] = await instances.describe([instanceIds[0]]);
      assert.deepEqual(stopped, { instanceId: instanceIds[0], state: 'stopped', vpcId: eni.vpcId, interfaces: [eni] });
    });

    contract('lists both to the last page', async (subject) => {
      const { instances, instanceIds, eniIds } = await subject.crowd();
      assert.deepEqual([new Set(instanceIds).size, new Set(eniIds).size], [7, 7]);
      const listed = await instances.describe(instanceIds);
      assert.deepEqual(listed.map(({ instanceId }) => instanceId).sort(), [...instanceIds].sort());
      const interfaces = await instances.describeInterfaces(eniIds);
      assert.deepEqual(interfaces.map(({ eniId }) => eniId).sort(), [...eniIds].sort());
    });

    contract('shows of a terminated instance that it is, and its interface no more', async (subject) => {
      const { instances, instanceIds, eni, terminate } = subject;
      await terminate(instanceIds[0]);
      const listed = await instances.describe(instanceIds);
      assert.deepEqual(
        new Map(listed.map(({ instanceId, state }) => [instanceId, state])),
        new Map([
          [instanceIds[0], 'terminated'],
          [instanceIds[1], 'running'],
        ]),
      );
      assert.deepEqual(await instances.describeInterfaces([eni.eniId]), []);
    });

    contract('shows a terminated instance without VPC and interfaces', async (subject) => {
      const { instances, instanceIds, terminate } = subject;
      await terminate(instanceIds[0]);
      const [terminated] = await instances.describe([instanceIds[0]]);
      assert.deepEqual(terminated, { instanceId: instanceIds[0], state: 'terminated', vpcId: null, interfaces: [] });
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
