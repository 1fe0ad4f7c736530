import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { metricNames } from '../../infra/metric-names.ts';
import type { AnswerStatus } from '../../shared/domain/answer.ts';
import { leaseStates } from '../../shared/domain/lease.ts';
import { byId, list, map, ofType, resources, template } from './template-resources.ts';

const rules = ofType('AWS::Events::Rule');
const mappings = ofType('AWS::Lambda::EventSourceMapping');
const streamMappings = mappings.filter(({ properties }) => JSON.stringify(properties).includes('StreamArn'));
const targets = rules.flatMap(({ id, properties }) => list(properties['Targets']).map((one) => ({ id, to: map(one) })));
const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

test('the template has the parts that other programs know by name', () => {
  for (const [type, ids] of Object.entries({
    'AWS::Serverless::Function': [
      'KeepLeasesFunction',
      'PublishLeaseChangesFunction',
      'SyncRoutesFunction',
      'ResyncFunction',
    ],
    'AWS::DynamoDB::Table': ['ClaimsTable', 'LeasesTable', 'MapTable'],
    'AWS::SQS::Queue': ['SyncQueue', 'SyncDeadLetterQueue', 'RejectsQueue', 'EventsDeadLetterQueue', 'FailuresQueue'],
    'AWS::Events::Rule': [
      'InstanceStateRule',
      'LeaseChangeRule',
      'SyncScheduleRule',
      'SyncContinuationRule',
      'SweepScheduleRule',
    ],
  })) {
    assert.deepEqual(
      ofType(type).map(({ id }) => id),
      ids,
    );
  }
});

test('H4: every target of every rule has a dead-letter queue and a retry policy', () => {
  assert.equal(targets.length, 5);
  for (const { id, to } of targets) {
    assert.deepEqual(map(to['DeadLetterConfig'])['Arn'], arnOf('EventsDeadLetterQueue'), id);
    const { MaximumEventAgeInSeconds, MaximumRetryAttempts } = map(to['RetryPolicy']);
    assert.ok(Number(MaximumEventAgeInSeconds) > 2 * 3600, `${id}: outlives two hours of outage`);
    assert.ok(Number(MaximumRetryAttempts) > 0, id);
  }
});

test('H4: every function that events invoke has a destination for what it fails to handle, and may send there', () => {
  const invoked = resources.filter(
    ({ id, type }) =>
      type === 'AWS::Serverless::Function' &&
      targets.some(({ to }) => JSON.stringify(to['Arn']) === JSON.stringify(arnOf(id))),
  );
  assert.ok(invoked.length > 0);
  for (const { id } of invoked) {
    const config = ofType('AWS::Lambda::EventInvokeConfig').find(
      ({ properties }) => map(properties['FunctionName'])['Ref'] === id,
    );
    assert.ok(config, id);
    assert.deepEqual(
      map(map(config.properties['DestinationConfig'])['OnFailure'])['Destination'],
      arnOf('FailuresQueue'),
    );
    assert.ok(config.properties['MaximumEventAgeInSeconds'] && config.properties['MaximumRetryAttempts'] !== undefined);
  }
});

test('H2: every stream mapping ends retries, splits batches, answers per record and keeps what it gives up', () => {
  assert.deepEqual(
    streamMappings.map(({ id }) => id),
    ['ClaimsStreamMapping', 'LeasesStreamMapping'],
  );
  for (const { id, properties } of streamMappings) {
    assert.ok(Number(properties['MaximumRetryAttempts']) > 0, id);
    const age = Number(properties['MaximumRecordAgeInSeconds']);
    assert.ok(age > 2 * 3600 && age < 24 * 3600, `${id}: longer than an outage, shorter than the stream's retention`);
    assert.equal(properties['BisectBatchOnFunctionError'], true, id);
    assert.deepEqual(properties['FunctionResponseTypes'], ['ReportBatchItemFailures'], id);
    assert.deepEqual(map(map(properties['DestinationConfig'])['OnFailure'])['Destination'], arnOf('FailuresQueue'), id);
  }
});

test('every rule that delivers to a queue or function may do so', () => {
  const permitted = ofType('AWS::Lambda::Permission').map(({ properties }) => JSON.stringify(properties['SourceArn']));
  const admitted = JSON.stringify(byId('SyncQueuePolicy').properties);
  const deadLetters = JSON.stringify(byId('EventsDeadLetterQueuePolicy').properties);
  for (const { id, to } of targets) {
    const toQueue = JSON.stringify(to['Arn']) === JSON.stringify(arnOf('SyncQueue'));
    assert.ok((toQueue ? admitted : permitted.join()).includes(JSON.stringify(arnOf(id))), id);
    assert.ok(deadLetters.includes(JSON.stringify(arnOf(id))), id);
  }
});

test('the sync queue keeps syncs one after the other and loses no message in a long outage', () => {
  const queue = byId('SyncQueue').properties;
  const timeout = Number(byId('SyncRoutesFunction').properties['Timeout']);
  assert.ok(Number(queue['VisibilityTimeout']) > timeout, 'a second sync would start before the first has ended');
  const receives = Number(map(queue['RedrivePolicy'])['maxReceiveCount']);
  assert.ok(receives * Number(queue['VisibilityTimeout']) > 2 * 3600);
  const groups = targets
    .filter(({ to }) => JSON.stringify(to['Arn']) === JSON.stringify(arnOf('SyncQueue')))
    .map(({ to }) => map(to['SqsParameters'])['MessageGroupId']);
  assert.deepEqual(groups, ['sync', 'sync', 'sync']);
  assert.equal(byId('SyncDeadLetterQueue').properties['FifoQueue'], true);
});

test('tables outlive the stack and can be restored', () => {
  for (const { id, attributes, properties } of ofType('AWS::DynamoDB::Table')) {
    assert.deepEqual(attributes, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }, id);
    assert.deepEqual(properties['PointInTimeRecoverySpecification'], { PointInTimeRecoveryEnabled: true }, id);
    assert.deepEqual(properties['SSESpecification'], { SSEEnabled: true }, id);
    assert.equal(properties['BillingMode'], 'PAY_PER_REQUEST', id);
  }
});

test('queues are encrypted', () => {
  for (const { id, properties } of ofType('AWS::SQS::Queue'))
    assert.equal(properties['SqsManagedSseEnabled'], true, id);
});

test('H11: no function is attached to a VPC, and none is traced unasked', () => {
  const functions = [
    map(template['Globals']?.['Function']),
    ...ofType('AWS::Serverless::Function').map((f) => f.properties),
  ];
  for (const properties of functions) {
    assert.equal(properties['VpcConfig'], undefined);
    assert.equal(properties['Tracing'], undefined);
  }
});

test('every function keeps its log for as long as the parameter says', () => {
  for (const { id, properties, attributes } of ofType('AWS::Serverless::Function')) {
    const group = byId(String(attributes['DependsOn']));
    const name = map(properties['FunctionName'])['Fn::Sub'];
    assert.deepEqual(group.properties['LogGroupName'], { 'Fn::Sub': `/aws/lambda/${name}` }, id);
    assert.deepEqual(group.properties['RetentionInDays'], { Ref: 'LogRetentionDays' }, id);
  }
});

test('every alarm watches a metric that is emitted, and tells the topic', () => {
  const known: Record<string, readonly string[]> = {
    Leaseway: metricNames,
    'AWS/Lambda': ['Errors', 'Invocations'],
    'AWS/SQS': ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'],
  };
  const alarms = ofType('AWS::CloudWatch::Alarm');
  for (const { id, properties } of alarms) {
    const { Namespace, MetricName, Dimensions, AlarmActions } = properties;
    assert.ok(known[String(Namespace)]?.includes(String(MetricName)), `${id}: ${MetricName}`);
    if (Namespace === 'Leaseway')
      assert.deepEqual(Dimensions, [{ Name: 'Network', Value: { Ref: 'NetworkName' } }], id);
    assert.match(JSON.stringify(AlarmActions), /AlarmTopicArn/, id);
  }
  const watched = alarms.map(({ properties }) => String(properties['MetricName']));
  for (const metric of [
    'Rejects',
    'GuardRefusals',
    'Overflow',
    'StaleLeases',
    'RoutesFailed',
    'SweepFailures',
    'SourceDestCheckFailures',
    'UnreadableItems',
    'LeaseDuplicates',
  ]) {
    assert.ok(watched.includes(metric), metric);
  }
  const failing = alarms.filter(({ properties }) => properties['MetricName'] === 'Errors');
  assert.equal(failing.length, ofType('AWS::Serverless::Function').length);
});

test('the list of metrics is what the functions emit', () => {
  const root = join(import.meta.dirname, '../..');
  const source = globSync('functions/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  const text = source.join('\n');
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const answers: Record<AnswerStatus, true> = { granted: true, pending: true, refused: true, lost: true };
  const counted = [
    ...Object.keys(answers).map((status) => `Claims${capital(status)}`),
    ...leaseStates.map((state) => `Leases${capital(state)}`),
  ];
  for (const name of counted)
    assert.ok(
      metricNames.some((known) => known === name),
      name,
    );
  for (const name of metricNames.filter((one) => !counted.includes(one))) {
    assert.match(text, new RegExp(`\\b${name}\\b`), `no function emits ${name}`);
  }
  const emitted = [...text.matchAll(/\bmetric\('(\w+)'/g)].map(([, name]) => String(name));
  assert.deepEqual(
    emitted.filter((name) => !metricNames.some((known) => known === name)),
    [],
  );
});

test('the dashboard is valid JSON and shows every metric of ours', () => {
  const body = String(map(byId('Dashboard').properties['DashboardBody'])['Fn::Sub']);
  const dashboard: { widgets: { properties: { metrics: string[][] } }[] } = JSON.parse(body);
  const shown = dashboard.widgets
    .flatMap(({ properties }) => properties.metrics)
    .filter(([namespace]) => namespace === 'Leaseway')
    .map(([, name]) => String(name));
  assert.deepEqual(shown.sort(), [...metricNames].sort());
});
