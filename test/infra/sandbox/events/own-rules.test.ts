import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  DisableRuleCommand,
  EnableRuleCommand,
  ListRuleNamesByTargetCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  type PutRuleCommandInput,
  PutTargetsCommand,
  RemoveTargetsCommand,
  type Target,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, PurgeQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox({ functions: false });
const { events, sqs } = clients(sandbox);

const queueArn = (name: string) => `arn:aws:sqs:eu-central-1:123456789012:${name}`;
const url = (name: string) => `${sandbox.url}/123456789012/${name}`;
const ruleArn = (name: string) => `arn:aws:events:eu-central-1:123456789012:rule/${name}`;

const makeQueue = (QueueName: string, Attributes: Record<string, string> = {}) =>
  sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
const putRule = (Name: string, more: Partial<PutRuleCommandInput> = {}) =>
  events.send(new PutRuleCommand({ Name, EventPattern: JSON.stringify({ source: [Name] }), ...more }));
const putTargets = (Rule: string, ...Targets: Target[]) => events.send(new PutTargetsCommand({ Rule, Targets }));
/** A queue, and a rule of that name which sends events of that source to it. */
const watch = async (name: string, target: Partial<Target> = {}) => {
  await makeQueue(name);
  await putRule(name);
  await putTargets(name, { Id: 'queue', Arn: queueArn(name), ...target });
};
const publish = (Source: string, detail: unknown, DetailType = 'Lease Change') =>
  events.send(new PutEventsCommand({ Entries: [{ Source, DetailType, Detail: JSON.stringify(detail) }] }));
/** Bodies of the messages in a queue, once all deliveries are done; takes them for good. */
const arrived = async (name: string): Promise<string[]> => {
  while (sandbox.activity.list().some((what) => what.startsWith('delivery')))
    await new Promise((resolve) => setImmediate(resolve));
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url(name), MaxNumberOfMessages: 10 }));
  await sqs.send(new PurgeQueueCommand({ QueueUrl: url(name) }));
  return Messages.map(({ Body }) => Body ?? '');
};

test('events that fit an own rule arrive in an own queue, beside what the stack does with them', async () => {
  await makeQueue('leases');
  const pattern = { source: ['leaseway'], 'detail-type': ['Lease Change'], detail: { change: ['granted'] } };
  const { RuleArn } = await putRule('leases', { EventPattern: JSON.stringify(pattern) });
  assert.equal(RuleArn, ruleArn('leases'));
  const answer = await putTargets('leases', { Id: 'queue', Arn: queueArn('leases') });
  assert.deepEqual([answer.FailedEntryCount, answer.FailedEntries], [0, []]);
  await publish('leaseway', { change: 'granted', network: 'default' });
  await publish('leaseway', { change: 'released' });
  await publish('leaseway', { change: 'granted' }, 'Route Change');
  const [body, ...more] = await arrived('leases');
  assert.deepEqual(more, []);
  const event = JSON.parse(body ?? '');
  assert.deepEqual([event.source, event.detail], ['leaseway', { change: 'granted', network: 'default' }]);
});

test('a FIFO queue takes events with the group that its target names', async () => {
  const fifo = { FifoQueue: 'true', ContentBasedDeduplication: 'true' };
  await makeQueue('grouped.fifo', fifo);
  await putRule('grouped');
  const target = { Id: 'q', Arn: queueArn('grouped.fifo') };
  await assert.rejects(putTargets('grouped', target), { name: 'ValidationException', message: /SqsParameters/ });
  await putTargets('grouped', { ...target, SqsParameters: { MessageGroupId: 'all' } });
  await publish('grouped', {});
  assert.equal((await arrived('grouped.fifo')).length, 1);
});

test('a target may be handed a part of the event, a text or something made of it', async () => {
  await watch('shaped', { InputPath: '$.detail' });
  await putTargets('shaped', { Id: 'constant', Arn: queueArn('shaped'), Input: '{"always":1}' });
  const InputTransformer = { InputPathsMap: { change: '$.detail.change' }, InputTemplate: '{"was":<change>}' };
  await putTargets('shaped', { Id: 'made', Arn: queueArn('shaped'), InputTransformer });
  await publish('shaped', { change: 'granted' });
  assert.deepEqual((await arrived('shaped')).sort(), ['{"always":1}', '{"change":"granted"}', '{"was":"granted"}']);
});

test('a rule that is disabled, without its target or deleted hands nothing on', async () => {
  await watch('switched');
  const silent = async () => {
    await publish('switched', {});
    assert.deepEqual(await arrived('switched'), []);
  };
  await events.send(new DisableRuleCommand({ Name: 'switched' }));
  await silent();
  await events.send(new EnableRuleCommand({ Name: 'switched' }));
  await publish('switched', {});
  assert.equal((await arrived('switched')).length, 1);
  await assert.rejects(events.send(new DeleteRuleCommand({ Name: 'switched' })), {
    name: 'ValidationException',
    message: /has targets/,
  });
  await events.send(new RemoveTargetsCommand({ Rule: 'switched', Ids: ['queue'] }));
  await silent();
  await events.send(new DeleteRuleCommand({ Name: 'switched' }));
  await assert.rejects(events.send(new DescribeRuleCommand({ Name: 'switched' })), {
    name: 'ResourceNotFoundException',
  });
});

test('a rule that is put again keeps its targets', async () => {
  await watch('again');
  await putRule('again', { EventPattern: JSON.stringify({ source: ['other'] }), Description: 'moved' });
  const rule = await events.send(new DescribeRuleCommand({ Name: 'again' }));
  assert.deepEqual([rule.Description, rule.State, rule.EventPattern], ['moved', 'ENABLED', '{"source":["other"]}']);
  await publish('other', {});
  assert.equal((await arrived('again')).length, 1);
});

test("rules and targets are listed, the stack's own too", async () => {
  await watch('listed');
  const { Rules = [] } = await events.send(new ListRulesCommand({}));
  const names = Rules.map(({ Name }) => Name);
  for (const name of ['listed', 'fixture-OrderRule', 'fixture-WorkerTick']) assert.ok(names.includes(name), name);
  const { Rules: [first] = [], NextToken } = await events.send(new ListRulesCommand({ NamePrefix: 'fix', Limit: 1 }));
  assert.ok(first?.Name?.startsWith('fixture-'));
  assert.notEqual(NextToken, undefined);
  const ofStack = await events.send(new ListTargetsByRuleCommand({ Rule: 'fixture-OrderRule' }));
  assert.deepEqual(ofStack.Targets, [
    {
      Id: 'orders',
      Arn: queueArn('fixture-orders.fifo'),
      SqsParameters: { MessageGroupId: 'orders' },
      RetryPolicy: { MaximumRetryAttempts: 2 },
      DeadLetterConfig: { Arn: queueArn('fixture-EventsDeadLetterQueue') },
    },
  ]);
  const aimed = await events.send(new ListRuleNamesByTargetCommand({ TargetArn: queueArn('listed') }));
  assert.deepEqual(aimed.RuleNames, ['listed']);
});

test('the policy of a queue decides which rules may send to it', async () => {
  const policyFor = (source: string) =>
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: '*',
          Condition: { ArnEquals: { 'aws:SourceArn': source } },
        },
      ],
    });
  await makeQueue('permitting', { Policy: policyFor(ruleArn('guarded')) });
  await makeQueue('forbidding', { Policy: policyFor(ruleArn('another')) });
  await makeQueue('buried');
  await putRule('guarded');
  const DeadLetterConfig = { Arn: queueArn('buried') };
  await putTargets('guarded', { Id: 'yes', Arn: queueArn('permitting'), DeadLetterConfig });
  await putTargets('guarded', { Id: 'no', Arn: queueArn('forbidding'), DeadLetterConfig });
  await publish('guarded', {});
  assert.equal((await arrived('permitting')).length, 1);
  assert.deepEqual(await arrived('forbidding'), []);
  assert.equal((await arrived('buried')).length, 1);
});

test('an event whose dead-letter queue is gone too is lost, and nothing else happens', async () => {
  await putRule('lost');
  const DeadLetterConfig = { Arn: queueArn('gone') };
  await putTargets('lost', { Id: 'q', Arn: queueArn('nowhere'), DeadLetterConfig });
  await publish('lost', {});
  await watch('after');
  await publish('after', {});
  assert.equal((await arrived('after')).length, 1);
});

test('a schedule of a caller runs by name', async () => {
  await makeQueue('ticks');
  await events.send(new PutRuleCommand({ Name: 'ticks', ScheduleExpression: 'rate(5 minutes)' }));
  await putTargets('ticks', { Id: 'q', Arn: queueArn('ticks') });
  await control(sandbox, 'POST', 'schedules/ticks?wait=true');
  const [body] = await arrived('ticks');
  assert.equal(JSON.parse(body ?? '')['detail-type'], 'Scheduled Event');
});

test('a pattern is tried on an event without a rule', async () => {
  const event = {
    id: '1',
    account: '123456789012',
    source: 'leaseway',
    time: '2026-03-01T00:00:00Z',
    region: 'eu-central-1',
    resources: [],
    'detail-type': 'Lease Change',
    detail: {},
  };
  const tried = async (pattern: unknown, given: unknown = event) =>
    (
      await events.send(
        new TestEventPatternCommand({ EventPattern: JSON.stringify(pattern), Event: JSON.stringify(given) }),
      )
    ).Result;
  assert.equal(await tried({ source: ['leaseway'] }), true);
  assert.equal(await tried({ source: ['aws.ec2'] }), false);
  await assert.rejects(tried({ source: 'leaseway' }), { name: 'InvalidEventPatternException' });
  await assert.rejects(tried({ source: ['leaseway'] }, { detail: {} }), { name: 'ValidationException' });
});

const EventPattern = '{"source":["x"]}';
const refused: readonly [string, PutRuleCommandInput, string][] = [
  ['a name with a space', { Name: 'not good', EventPattern }, 'ValidationException'],
  ['a rule for nothing', { Name: 'x' }, 'ValidationException'],
  ['a pattern that is no JSON', { Name: 'x', EventPattern: '{bad' }, 'InvalidEventPatternException'],
  ['a pattern with a bare value', { Name: 'x', EventPattern: '{"source":"x"}' }, 'InvalidEventPatternException'],
  ['an empty pattern', { Name: 'x', EventPattern: '{}' }, 'InvalidEventPatternException'],
  ['a bad schedule', { Name: 'x', ScheduleExpression: 'rate(1 minutes)' }, 'ValidationException'],
  ['another bus', { Name: 'x', EventPattern, EventBusName: 'other' }, 'ResourceNotFoundException'],
];

for (const [what, input, name] of refused) {
  test(`${what} is refused with ${name}`, async () => {
    await assert.rejects(events.send(new PutRuleCommand(input)), { name });
    await assert.rejects(events.send(new DescribeRuleCommand({ Name: 'x' })), { name: 'ResourceNotFoundException' });
  });
}

test('a target that cannot be is refused, and the rule keeps those it has', async () => {
  await watch('strict');
  const Arn = queueArn('strict');
  const refuses = (targets: Target[], name: string) => assert.rejects(putTargets('strict', ...targets), { name });
  await refuses([{ Id: 'not good', Arn }], 'ValidationException');
  await refuses([{ Id: 'a', Arn: 'arn:aws:sns:eu-central-1:123456789012:topic' }], 'ValidationException');
  await refuses([{ Id: 'a', Arn, Input: '{}', InputPath: '$.detail' }], 'ValidationException');
  await refuses([{ Id: 'a', Arn, Input: 'no json' }], 'ValidationException');
  await refuses([{ Id: 'a', Arn, RetryPolicy: { MaximumRetryAttempts: 186 } }], 'ValidationException');
  await refuses(
    ['a', 'b', 'c', 'd', 'e'].map((Id) => ({ Id, Arn })),
    'LimitExceededException',
  );
  await assert.rejects(putTargets('nowhere', { Id: 'a', Arn }), { name: 'ResourceNotFoundException' });
  const { Targets } = await events.send(new ListTargetsByRuleCommand({ Rule: 'strict' }));
  assert.deepEqual(Targets, [{ Id: 'queue', Arn }]);
});
