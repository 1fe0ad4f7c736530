import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonMap } from '../../infra/read-template.ts';
import { actionsOf, byId, list, map, ofType, type Resource, resources, statementsOf } from './template-resources.ts';

/** Calls for which IAM knows no resource, so that "*" is all that can be said. */
const withoutResource = [
  'dynamodb:ListStreams',
  'ec2:DescribeInstances',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeRouteTables',
];

const writesRoutes = (statement: JsonMap) => actionsOf(statement).some((action) => /^ec2:(\*|.*Route)$/.test(action));
const withPolicies = resources.filter(({ type }) => type.startsWith('AWS::IAM::'));

test('E11: routes can be written in the listed tables only, or in tables that carry the tag', () => {
  const statements = withPolicies.flatMap(statementsOf).filter(writesRoutes);
  assert.deepEqual(
    statements.map(({ Sid }) => Sid),
    ['RoutesOfTaggedTables', 'RoutesOfListedTables'],
  );
  for (const statement of statements) {
    assert.deepEqual(actionsOf(statement), ['ec2:CreateRoute', 'ec2:ReplaceRoute', 'ec2:DeleteRoute']);
    assert.notEqual(statement['Resource'], '*');
  }
  const [tagged, listed] = statements;
  assert.deepEqual(map(tagged?.['Condition']), {
    StringEquals: { 'ec2:ResourceTag/leaseway': { Ref: 'RouteTableTag' } },
  });
  assert.deepEqual(resourcesFor(listed?.['Resource'], 'rtb-1,rtb-2'), [
    'arn:*:ec2:*:*:route-table/rtb-1',
    'arn:*:ec2:*:*:route-table/rtb-2',
  ]);
});

/** Carries out the only intrinsics in the list of tables' ARNs. */
function resourcesFor(value: Json | undefined, tables: string): unknown {
  if (Array.isArray(value)) return value.map((one: Json) => resourcesFor(one, tables));
  const { Ref: name, 'Fn::Split': split, 'Fn::Join': join } = map(value);
  if (name === 'RouteTableIds') return tables;
  if (split === undefined && join === undefined) return value;
  const [delimiter, inner] = list(split ?? join);
  const resolved = resourcesFor(inner, tables);
  if (split) return String(resolved).split(String(delimiter));
  return Array.isArray(resolved) ? resolved.join(String(delimiter)) : resolved;
}

test('only sync-routes and resync may write routes', () => {
  const holders = ofType('AWS::IAM::Role').filter(({ properties }) =>
    list(properties['ManagedPolicyArns']).some((policy) => map(policy)['Ref'] === 'SyncPolicy'),
  );
  assert.deepEqual(
    holders.map(({ id }) => id),
    ['SyncRoutesRole', 'ResyncRole'],
  );
});

test('S1: no function writes to the queue that wakes it: Lambda would stop such a loop after sixteen rounds', () => {
  const mapped = ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) =>
    JSON.stringify(properties['EventSourceArn']),
  );
  for (const resource of withPolicies) {
    for (const statement of statementsOf(resource)) {
      if (!actionsOf(statement).includes('sqs:SendMessage')) continue;
      assert.ok(!mapped.includes(JSON.stringify(statement['Resource'])), `${resource.id} ${statement['Sid']}`);
    }
  }
});

test('no statement has a wildcard action, or a wildcard resource where IAM knows a narrower one', () => {
  for (const resource of withPolicies) {
    for (const statement of statementsOf(resource)) {
      const actions = actionsOf(statement);
      const where = `${resource.id} ${statement['Sid']}`;
      assert.ok(!actions.some((action) => action.includes('*')), where);
      if (list(statement['Resource']).includes('*')) {
        assert.deepEqual(
          actions.filter((action) => !withoutResource.includes(action)),
          [],
          where,
        );
      }
    }
  }
});

test('every role is for Lambda alone, and every function has its own', () => {
  const used = ofType('AWS::Serverless::Function').map(({ properties }) => JSON.stringify(properties['Role']));
  assert.equal(new Set(used).size, used.length);
  for (const { id, properties } of ofType('AWS::IAM::Role')) {
    assert.match(JSON.stringify(properties['AssumeRolePolicyDocument']), /"Service":"lambda.amazonaws.com"/);
    assert.ok(used.includes(JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] })), id);
  }
});

test('every stream, queue and failure destination of a mapping is in the rights of its function', () => {
  for (const { id, properties } of ofType('AWS::Lambda::EventSourceMapping')) {
    const rights = statementsOf(roleOf(String(map(properties['FunctionName'])['Ref'])));
    const read = /"dynamodb:GetRecords"|"sqs:ReceiveMessage"/;
    const may = (source: Json | undefined, action: RegExp) =>
      rights.some(
        (right) =>
          JSON.stringify(right['Resource']) === JSON.stringify(source) && action.test(JSON.stringify(right['Action'])),
      );
    assert.ok(may(properties['EventSourceArn'], read), id);
    const failures = map(map(properties['DestinationConfig'])['OnFailure'])['Destination'];
    if (failures) assert.ok(may(failures, /"sqs:SendMessage"/), id);
  }
});

function roleOf(functionId: string): Resource {
  const [role] = list(map(byId(functionId).properties['Role'])['Fn::GetAtt']);
  return byId(String(role));
}

test('a node may get, put and delete its own claim and get items of its network map, and nothing else', () => {
  const [claims, maps, ...others] = statementsOf(byId('NodePolicy'));
  assert.deepEqual(others, []);
  assert.deepEqual(claims, {
    Sid: 'OwnClaimOnly',
    Effect: 'Allow',
    Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'],
    Resource: { 'Fn::GetAtt': ['ClaimsTable', 'Arn'] },
    Condition: {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [`\${${'ec2:SourceInstanceARN'}}`] },
      Null: { 'dynamodb:LeadingKeys': 'false', 'ec2:SourceInstanceARN': 'false' },
    },
  });
  assert.deepEqual(maps, {
    Sid: 'MapOfThisNetwork',
    Effect: 'Allow',
    Action: 'dynamodb:GetItem',
    Resource: { 'Fn::GetAtt': ['MapTable', 'Arn'] },
    Condition: {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [{ 'Fn::Sub': `network#\${${'NetworkName'}}` }] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });
});
