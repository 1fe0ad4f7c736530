import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { ec2Client } from '../../../shared/aws/clients.ts';
import { ec2Instances } from '../../../shared/aws/instances.ts';
import { Refusal } from '../../../shared/reconcile/ports.ts';
import { attachInterface, reaches } from '../../contract/ec2-bench.ts';
import { ec2Crowd } from '../../contract/ec2-crowd.ts';
import { runInstancesContract } from '../../contract/instances-contract.ts';
import { FakeEc2 } from '../../fakes/keeper/ec2.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { smallVpc, stopInstanceOf, vpcId } from './ec2-subject.ts';
import { type Answer, type Call, ec2Answer, ec2Error, scriptedEndpoint } from './scripted-endpoint.ts';

runInstancesContract('instances of EC2', async (t) => {
  const { server, reads } = await smallVpc(t);
  const { client } = server;
  return {
    instances: ec2Instances({ client: reads }),
    instanceIds: ['i-1', 'i-2'],
    eni: {
      eniId: 'eni-1',
      instanceId: 'i-1',
      isPrimary: true,
      subnetId: 'subnet-1',
      vpcId,
      privateIp: '10.0.1.10',
      ipv6: null,
      sourceDestCheck: true,
    },
    stop: (instanceId) => stopInstanceOf(server, instanceId.replace('i-', 'eni-')),
    terminate: async (instanceId) => {
      await client.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
      await reaches(client, instanceId, 'terminated');
    },
    attach: (instanceId) => attachInterface(client, 'subnet-1', instanceId),
    crowd: () => ec2Crowd({ client, reader: reads, subnetId: 'subnet-1' }, () => server.advance(10)),
  };
});

runInstancesContract('instances in memory', async () => {
  const ec2 = new FakeEc2();
  const instanceIds = [ec2.run(1), ec2.run(2)] as const;
  return {
    instances: ec2.as(new Session()),
    instanceIds,
    eni: { ...ec2.eni(instanceIds[0]) },
    stop: async (instanceId) => {
      ec2.instance(instanceId).state = 'stopped';
    },
    terminate: async (instanceId) => {
      ec2.instance(instanceId).state = 'terminated';
    },
    attach: async (instanceId) => {
      const further = { ...ec2.eni(instanceId), eniId: 'eni-further', isPrimary: false };
      ec2.instance(instanceId).interfaces.push(further);
      return further.eniId;
    },
    crowd: async () => {
      const ids = Array.from({ length: 7 }, (_, index) => ec2.run(10 + index));
      return { instances: ec2.as(new Session()), instanceIds: ids, eniIds: ids.map((id) => ec2.eni(id).eniId) };
    },
  };
});

async function scripted(t: TestContext, answer: (call: Call, index: number) => Answer) {
  const { calls, options } = await scriptedEndpoint(t, answer);
  const client = ec2Client(options);
  t.after(() => client.destroy());
  return { calls, instances: ec2Instances({ client }) };
}

function page(next: string | null, ...ids: string[]): Answer {
  const items = ids.map(
    (id) =>
      `<item><instancesSet><item><instanceId>${id}</instanceId><instanceState><name>running</name></instanceState></item></instancesSet></item>`,
  );
  const token = next === null ? '' : `<nextToken>${next}</nextToken>`;
  return ec2Answer('DescribeInstances', `<reservationSet>${items.join('')}</reservationSet>${token}`);
}

const ids = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test('instances are asked for by filter, 200 at a time, in pages to the last one', async (t) => {
  const { calls, instances } = await scripted(t, ({ form }) => {
    assert.ok(form.has('MaxResults') && !form.has('InstanceId.1'));
    assert.equal(form.get('Filter.1.Name'), 'instance-id');
    const first = String(form.get('Filter.1.Value.1'));
    return form.has('NextToken') ? page(null, `${first}0b`) : page('2', `${first}0a`);
  });
  const listed = await instances.describe(ids(401, 'i'));
  assert.deepEqual(
    calls.map(({ form }) => [...form.keys()].filter((key) => key.startsWith('Filter.1.Value.')).length),
    [200, 200, 200, 200, 1, 1],
  );
  assert.equal(listed.length, 6);
});

test('interfaces are asked for by filter, 200 at a time', async (t) => {
  const { calls, instances } = await scripted(t, ({ form }) => {
    assert.ok(form.has('MaxResults') && !form.has('NetworkInterfaceId.1'));
    assert.equal(form.get('Filter.1.Name'), 'network-interface-id');
    return ec2Answer('DescribeNetworkInterfaces', '<networkInterfaceSet/>');
  });
  assert.deepEqual(await instances.describeInterfaces(ids(201, 'eni')), []);
  assert.equal(calls.length, 2);
});

test('no call for no ids', async (t) => {
  const { calls, instances } = await scripted(t, () => ec2Error('InternalError', 500));
  await instances.describe([]);
  await instances.describeInterfaces([]);
  assert.deepEqual(calls, []);
});

test('a failed or unreadable page is no shorter list', async (t) => {
  const answers: Answer[] = [
    ec2Error('UnauthorizedOperation', 403),
    { body: '<html/>' },
    { body: '' },
    page('2', 'i-2'),
  ];
  for (const answer of answers) {
    const { instances } = await scripted(t, ({ form }) => (form.has('NextToken') ? answer : page('2', 'i-1')));
    await assert.rejects(instances.describe(['i-1']), Refusal);
  }
  const { instances } = await scripted(t, () => ({ body: '<html/>' }));
  await assert.rejects(instances.describeInterfaces(['eni-1']), Refusal);
});

test('an instance in a state that nobody knows is not taken for anything else', async (t) => {
  const { instances } = await scripted(t, () =>
    ec2Answer(
      'DescribeInstances',
      '<reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><instanceState><name>dreaming</name></instanceState></item></instancesSet></item></reservationSet>',
    ),
  );
  await assert.rejects(instances.describe(['i-1']), /i-1 is in the unknown state dreaming/);
});

const eniItem = (fields: string) =>
  `<item><networkInterfaceId>eni-1</networkInterfaceId><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>${fields}</item>`;

test('addresses are canonical, and only a lasting attachment is one', async (t) => {
  const attached = (status: string) =>
    `<attachment><instanceId>i-1</instanceId><deviceIndex>0</deviceIndex><status>${status}</status></attachment>`;
  const { instances } = await scripted(t, () =>
    ec2Answer(
      'DescribeNetworkInterfaces',
      `<networkInterfaceSet>${['attaching', 'attached', 'detaching', 'detached']
        .map((status) =>
          eniItem(
            `<sourceDestCheck>false</sourceDestCheck><ipv6AddressesSet><item><ipv6Address>FD00:0:0:0::0A</ipv6Address></item></ipv6AddressesSet>${attached(status)}`,
          ),
        )
        .join('')}</networkInterfaceSet>`,
    ),
  );
  const listed = await instances.describeInterfaces(['eni-1']);
  assert.deepEqual(
    listed.map(({ instanceId, isPrimary }) => [instanceId, isPrimary]),
    [
      ['i-1', true],
      ['i-1', true],
      [null, false],
      [null, false],
    ],
  );
  assert.deepEqual([listed[0]?.privateIp, listed[0]?.ipv6], [null, 'fd00::a']);
});

test('Q1: the first interface of another network card is not the primary one, though its device index is 0 too', async (t) => {
  const attached = (card: string) =>
    `<attachment><instanceId>i-1</instanceId><deviceIndex>0</deviceIndex>${card}<status>attached</status></attachment>`;
  const { instances } = await scripted(t, () =>
    ec2Answer(
      'DescribeNetworkInterfaces',
      `<networkInterfaceSet>${['<networkCardIndex>1</networkCardIndex>', '<networkCardIndex>0</networkCardIndex>', '']
        .map((card) => eniItem(`<sourceDestCheck>false</sourceDestCheck>${attached(card)}`))
        .join('')}</networkInterfaceSet>`,
    ),
  );
  const listed = await instances.describeInterfaces(['eni-1']);
  assert.deepEqual(
    listed.map(({ instanceId, isPrimary }) => [instanceId, isPrimary]),
    [
      ['i-1', false],
      ['i-1', true],
      ['i-1', true],
    ],
  );
});

test('Q2: of several IPv6 addresses the same one is taken, in whatever order EC2 lists them', async (t) => {
  const address = (text: string, more = '') => `<item><ipv6Address>${text}</ipv6Address>${more}</item>`;
  const ipv6Of = async (...addresses: readonly string[]) => {
    const { instances } = await scripted(t, () =>
      ec2Answer(
        'DescribeNetworkInterfaces',
        `<networkInterfaceSet>${eniItem(`<sourceDestCheck>true</sourceDestCheck><ipv6AddressesSet>${addresses.join('')}</ipv6AddressesSet>`)}</networkInterfaceSet>`,
      ),
    );
    return (await instances.describeInterfaces(['eni-1']))[0]?.ipv6;
  };
  const [low, high] = [address('fd00::a'), address('fd00::10')];
  assert.deepEqual([await ipv6Of(low, high), await ipv6Of(high, low)], ['fd00::a', 'fd00::a']);
  const primary = address('fd00::b', '<isPrimaryIpv6>true</isPrimaryIpv6>');
  assert.deepEqual([await ipv6Of(low, primary), await ipv6Of(primary, high)], ['fd00::b', 'fd00::b']);
});

test('an interface whose check was left out is not known to forward', async (t) => {
  const { instances } = await scripted(t, () =>
    ec2Answer('DescribeNetworkInterfaces', `<networkInterfaceSet>${eniItem('')}</networkInterfaceSet>`),
  );
  await assert.rejects(instances.describeInterfaces(['eni-1']), /without its source\/destination check/);
});

test('B3: the check is switched off by the interface, never by the instance', async (t) => {
  const { calls, instances } = await scripted(t, ({ action }) => ec2Answer(action, '<return>true</return>'));
  await instances.switchOffSourceDestCheck('eni-1');
  const { Version, ...form } = Object.fromEntries(calls[0]?.form ?? []);
  assert.deepEqual(form, {
    Action: 'ModifyNetworkInterfaceAttribute',
    NetworkInterfaceId: 'eni-1',
    'SourceDestCheck.Value': 'false',
  });
});

test('nothing is switched off on an interface that there is not', async (t) => {
  const { reads } = await smallVpc(t);
  await assert.rejects(
    ec2Instances({ client: reads }).switchOffSourceDestCheck('eni-00000000000000bad'),
    (error) => error instanceof Refusal && error.meaning === 'no-target',
  );
});
