import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionStatements } from '../../../../infra/sandbox/iam/policies.ts';
import { functionsOf } from '../../../../infra/sandbox/template/functions.ts';
import { readStack } from '../../../../infra/sandbox/template/stack.ts';

/** The Sids that a function with the given properties may act by. */
function sids(properties: string) {
  const template = `
Resources:
  F: { Type: AWS::Serverless::Function, Properties: { CodeUri: ., Handler: a.b, ${properties} } }
  Role:
    Type: AWS::IAM::Role
    Properties:
      ManagedPolicyArns: [!Ref Shared, 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole']
      Policies: [{ PolicyName: own, PolicyDocument: { Statement: { Sid: Own, Effect: Allow, Action: 'a:b', Resource: '*' } } }]
  Shared: { Type: AWS::IAM::ManagedPolicy, Properties: { PolicyDocument: { Statement: [{ Sid: Shared, Effect: Allow, Action: 'a:b', Resource: '*' }] } } }
  Attached: { Type: AWS::IAM::Policy, Properties: { Roles: [!Ref Role], PolicyDocument: { Statement: [{ Sid: Attached, Effect: Deny, Action: 'a:b', Resource: '*' }] } } }
`;
  const stack = readStack(template, { stackName: 's', parameters: {}, endpoint: 'http://x' });
  return functionsOf(stack, '/').flatMap((model) => functionStatements(model, stack).map(({ sid }) => sid));
}

test('a role brings its own policies, managed ones and those attached to it', () => {
  assert.deepEqual(sids('Role: !GetAtt Role.Arn'), ['Own', 'Shared', 'Attached']);
});

test("a function's own statements and managed policies count", () => {
  assert.deepEqual(
    sids(
      "Policies: [{ Statement: [{ Sid: Mine, Effect: Allow, Action: 'a:b', Resource: '*' }] }, !Ref Shared, AWSLambdaBasicExecutionRole]",
    ),
    ['Mine', 'Shared'],
  );
});

test('a SAM policy template is an error that names it', () => {
  assert.throws(
    () => sids('Policies: [{ DynamoDBCrudPolicy: { TableName: t } }]'),
    /F.Policies\[0\]: the SAM policy template DynamoDBCrudPolicy/,
  );
});

test('an unknown managed policy and an unknown role are errors that name them', () => {
  assert.throws(() => sids('Policies: [AdministratorAccess]'), /the managed policy AdministratorAccess is not known/);
  assert.throws(
    () => sids("Role: 'arn:aws:iam::1:role/other'"),
    /the role arn:aws:iam::1:role\/other is not in the template/,
  );
});
