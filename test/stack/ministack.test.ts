/** The product on MiniStack, from the first deployment to the end of the stack. Steps go on from one another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplaceRouteCommand, StartInstancesCommand, StopInstancesCommand } from '@aws-sdk/client-ec2';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Deployment } from './deployment.ts';
import { embeddedEc2 } from './embedded-ec2.ts';
import { versionOf } from './third-parties.ts';
import { until } from './until.ts';

const parameters = { RouteTableIds: 'rtb-a,rtb-b' };
const listed = ['rtb-a', 'rtb-b'];

test('the stack on MiniStack', async (t) => {
  t.diagnostic(
    `ran on ${await versionOf('ministack')}, ${await versionOf('awscli')}, functions on Node ${process.version}`,
  );
  const stack = await Deployment.start(await embeddedEc2(6));
  t.after(() => stack.close());
  const before = await Promise.all(['rtb-a', 'rtb-b', 'rtb-c', 'rtb-public'].map((id) => stack.rows(id)));

  /** Claims and waits for the routes; the subnet. */
  async function join(id: string, eni: string): Promise<string> {
    await stack.claim(id, `claim-of-${id}`);
    const subnet = await until(async () => {
      const answer = await stack.answer(id);
      assert.equal(answer?.claimId, `claim-of-${id}`);
      assert.equal(answer.status, 'granted');
      return answer.subnet ?? '';
    });
    await until(async () => assert.deepEqual(await stack.hops(subnet, listed), [`${eni} active`, `${eni} active`]));
    return subnet;
  }

  await t.test('the template is deployed as it is, whole', async () => {
    await stack.deploy(parameters);
    const resources = await stack.resources();
    assert.deepEqual([...new Set(resources.map((each) => each.ResourceStatus))], ['CREATE_COMPLETE']);
    assert.ok(resources.length > 40, `${resources.length} resources`);
  });

  await t.test('a claim becomes a lease, and its routes are in every listed table and no other', async () => {
    await stack.configure(listed);
    const subnet = await join('i-001', 'eni-001');
    assert.deepEqual(await stack.hops(subnet, ['rtb-c', 'rtb-public']), ['none', 'none']);
    // A map is published at most once in two seconds, so the one with this lease may follow its routes.
    await until(async () => {
      const { Items = [] } = await stack.dynamo.send(
        new QueryCommand({
          TableName: stack.output('MapTableName'),
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': 'network#default' },
        }),
      );
      assert.ok(Items.length >= 2, 'the map has a head and a part');
    });
  });

  await t.test(
    'routes go when the instance has stopped, come again when it runs, go when it is terminated',
    async () => {
      const subnet = await join('i-002', 'eni-002');
      const instance = { InstanceIds: ['i-002'] };
      await stack.ec2.send(new StopInstancesCommand(instance));
      stack.event('i-002', 'stopped');
      await until(async () => assert.deepEqual(await stack.hops(subnet, listed), ['none', 'none']));
      await stack.ec2.send(new StartInstancesCommand(instance));
      stack.event('i-002', 'running');
      await until(async () => assert.deepEqual(await stack.hops(subnet, listed), ['eni-002 active', 'eni-002 active']));
      stack.event('i-002', 'terminated');
      await until(async () => assert.deepEqual(await stack.hops(subnet, listed), ['none', 'none']));
    },
  );

  await t.test('a resync plans without writing, then puts a route right that someone turned', async () => {
    const subnet = await join('i-003', 'eni-003');
    await stack.ec2.send(
      new ReplaceRouteCommand({ RouteTableId: 'rtb-b', DestinationCidrBlock: subnet, NetworkInterfaceId: 'eni-004' }),
    );
    const name = stack.output('ResyncFunctionName');
    await stack.invoke(name, { dryRun: true });
    const report = await stack.invoke(name, {});
    assert.deepEqual(await stack.hops(subnet, listed), ['eni-003 active', 'eni-003 active'], JSON.stringify(report));
  });

  await t.test(
    'roles are held to their policies, so all of the above needed no more than the template grants',
    async () => {
      const name = stack.output('ResyncFunctionName');
      const resources = await stack.resources();
      const role = resources.find((each) => each.LogicalResourceId === 'ResyncRole')?.PhysicalResourceId ?? '';
      const policy = ['--role-name', role, '--policy-name', 'no-lock'];
      const Statement = [{ Effect: 'Deny', Action: 'dynamodb:PutItem', Resource: '*' }];
      const document = JSON.stringify({ Version: '2012-10-17', Statement });
      await stack.aws('iam', 'put-role-policy', ...policy, '--policy-document', document);
      await assert.rejects(stack.invoke(name, {}), /not authorized to perform: dynamodb:PutItem/);
      await stack.aws('iam', 'delete-role-policy', ...policy);
      await stack.invoke(name, {});
    },
  );

  await t.test('what is no event in the sync queue lands among the rejects', async () => {
    await stack.sqs.send(
      new SendMessageCommand({
        QueueUrl: stack.output('SyncQueueUrl'),
        MessageBody: 'no event at all',
        MessageGroupId: 'sync',
      }),
    );
    await until(async () => {
      const bodies = await stack.messages(stack.output('RejectsQueueUrl'));
      assert.ok(
        bodies.some((body) => body.includes('no event at all')),
        bodies.join('\n'),
      );
    });
  });

  await t.test('a lease item that does not validate lands among the rejects and stops no other', async () => {
    const Item = { pk: 'network#default', sk: 'lease#10.244.99.0/24', subnet: 7 };
    await stack.dynamo.send(new PutCommand({ TableName: stack.output('LeasesTableName'), Item }));
    await until(async () => {
      const bodies = await stack.messages(stack.output('RejectsQueueUrl'));
      assert.ok(
        bodies.some((body) => body.includes('10.244.99.0/24')),
        bodies.join('\n'),
      );
    });
    await join('i-005', 'eni-005');
  });

  await t.test('what makes functions throw lands in the dead-letter queue and among the failures', async () => {
    const QueueUrl = stack.output('SyncQueueUrl');
    const resources = await stack.resources();
    const dead = resources.find((each) => each.LogicalResourceId === 'SyncDeadLetterQueue')?.PhysicalResourceId ?? '';
    // The template's own numbers, 200 receives 130 s apart, are hours.
    const RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: `arn:aws:sqs:eu-central-1:123456789012:${dead.split('/').at(-1)}`,
      maxReceiveCount: 2,
    });
    await stack.sqs.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy, VisibilityTimeout: '1' } }),
    );
    // What was received before keeps its 130 s, and its message group is closed as long: that sync must end well first.
    await until(async () => {
      const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
      const { Attributes } = await stack.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      assert.equal(Attributes?.ApproximateNumberOfMessagesNotVisible, '0');
    });
    const repairs: (() => Promise<void>)[] = [];
    for (const key of ['SyncRoutesFunctionName', 'KeepLeasesFunctionName']) {
      const FunctionName = stack.output(key);
      const { Environment } = await stack.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      const Variables = { ...Environment?.Variables };
      const set = async (more: Readonly<Record<string, string>>) => {
        const command = { FunctionName, Environment: { Variables: { ...Variables, ...more } } };
        await stack.lambda.send(new UpdateFunctionConfigurationCommand(command));
      };
      await set({ MAP_TABLE: 'no-such-table', LEASES_TABLE: 'no-such-table' });
      repairs.push(() => set({}));
    }
    await stack.sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify({
          'detail-type': 'Scheduled Event',
          source: 'aws.events',
          time: '2026-11-30T00:00:00Z',
          detail: { from: 'the test' },
        }),
        MessageGroupId: 'sync',
      }),
    );
    await until(async () => {
      const bodies = await stack.messages(stack.output('SyncDeadLetterQueueUrl'));
      assert.ok(
        bodies.some((body) => body.includes('the test')),
        bodies.join('\n'),
      );
    });
    await stack.lambda.send(
      new InvokeCommand({
        FunctionName: stack.output('KeepLeasesFunctionName'),
        InvocationType: 'Event',
        Payload: JSON.stringify({ source: 'leaseway', 'detail-type': 'Sweep' }),
      }),
    );
    await until(async () => {
      const bodies = await stack.messages(stack.output('FailuresQueueUrl'));
      assert.ok(
        bodies.some((body) => body.includes('Sweep')),
        bodies.join('\n'),
      );
    });
    for (const repair of repairs) await repair();
  });

  await t.test('the stack is updated, and a table more is filled', async () => {
    await stack.deploy({ RouteTableIds: 'rtb-a,rtb-b,rtb-c', LogLevel: 'DEBUG' });
    const FunctionName = stack.output('SyncRoutesFunctionName');
    const { Environment } = await stack.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    assert.equal(Environment?.Variables?.['ROUTE_TABLE_IDS'], 'rtb-a,rtb-b,rtb-c');
    await stack.configure(['rtb-a', 'rtb-b', 'rtb-c']);
    await join('i-006', 'eni-006');
    const first = (await stack.answer('i-001'))?.subnet ?? '';
    await until(async () =>
      assert.deepEqual(await stack.hops(first, ['rtb-a', 'rtb-b', 'rtb-c']), [
        'eni-001 active',
        'eni-001 active',
        'eni-001 active',
      ]),
    );
  });

  await t.test('foreign rows are what they were', async () => {
    for (const [at, id] of ['rtb-a', 'rtb-b', 'rtb-c', 'rtb-public'].entries()) {
      const now = new Set(await stack.rows(id));
      assert.deepEqual(
        (before[at] ?? []).filter((row) => !now.has(row)),
        [],
        id,
      );
    }
  });

  await t.test('a deleted stack leaves the tables with the leases, and nothing that runs', async () => {
    const tables = ['ClaimsTableName', 'LeasesTableName', 'MapTableName'].map((key) => stack.output(key));
    await stack.aws('cloudformation', 'delete-stack', '--stack-name', 'leaseway');
    await stack.aws('cloudformation', 'wait', 'stack-delete-complete', '--stack-name', 'leaseway');
    const left = async (...command: readonly string[]) => (await stack.aws(...command)) as Record<string, unknown[]>;
    assert.deepEqual((await left('lambda', 'list-functions'))['Functions'], []);
    assert.deepEqual((await left('events', 'list-rules'))['Rules'], []);
    assert.deepEqual((await left('sqs', 'list-queues'))?.['QueueUrls'] ?? [], []);
    assert.deepEqual((await left('lambda', 'list-event-source-mappings'))['EventSourceMappings'], []);
    const { TableNames = [] } = await left('dynamodb', 'list-tables');
    assert.deepEqual([...TableNames].sort(), tables.sort());
  });
});
