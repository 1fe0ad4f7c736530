import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startSandbox } from '../../../../infra/sandbox/sandbox.ts';
import { functionsOf } from '../../../../infra/sandbox/template/functions.ts';
import { mappingsOf } from '../../../../infra/sandbox/template/mappings.ts';
import { queuesOf } from '../../../../infra/sandbox/template/queues.ts';
import { rulesOf } from '../../../../infra/sandbox/template/rules.ts';
import { readStack } from '../../../../infra/sandbox/template/stack.ts';
import { fixtureTemplate } from '../with-sandbox.ts';

const options = { stackName: 'demo', parameters: {}, endpoint: 'http://127.0.0.1:1' };
const read = (template: string, parameters: Record<string, string> = {}) =>
  readStack(template, { ...options, parameters });
const resource = (body: string) => `Resources:\n  Thing: ${body}\n`;

test('a resource type that is not understood is an error that names it', () => {
  assert.throws(
    () => read(resource('{ Type: AWS::Kinesis::Stream }')),
    /Thing: the resource type AWS::Kinesis::Stream is not understood/,
  );
});

test('a section that is not understood is an error that names it', () => {
  assert.throws(() => read('Hooks: {}\nResources: {}\n'), /the section Hooks is not understood/);
});

test('a resource without a run-time meaning is accepted, an unknown intrinsic in it is not', () => {
  assert.deepEqual(read(resource('{ Type: AWS::CloudWatch::Alarm, Properties: { Any: thing } }')).resources, []);
  assert.throws(() => read(resource('{ Type: AWS::CloudWatch::Alarm, Properties: { Any: !Cidr [a] } }')), /Fn::Cidr/);
});

test('a resource whose condition is false does not exist', () => {
  const template = `
Parameters: { Wanted: { Type: String, Default: 'no' } }
Conditions: { IsWanted: !Equals [!Ref Wanted, 'yes'] }
Resources: { Maybe: { Type: AWS::SQS::Queue, Condition: IsWanted } }
`;
  assert.deepEqual(read(template).resources, []);
  assert.deepEqual(
    read(template, { Wanted: 'yes' }).resources.map(({ name }) => name),
    ['demo-Maybe'],
  );
});

test('parameters are checked as CloudFormation checks them', () => {
  const template = `
Parameters:
  Level: { Type: String, AllowedValues: [INFO, WARN] }
  Tables: { Type: CommaDelimitedList, AllowedPattern: 'rtb-[0-9a-f]+' , Default: rtb-1 }
  Port: { Type: Number, MinValue: 1, MaxValue: 10, Default: 5 }
Resources: {}
`;
  assert.doesNotThrow(() => read(template, { Level: 'INFO' }));
  assert.throws(() => read(template), /parameter Level has no default and was not given/);
  assert.throws(() => read(template, { Level: 'LOUD' }), /parameter Level: LOUD is none of INFO, WARN/);
  assert.throws(
    () => read(template, { Level: 'INFO', Tables: 'rtb-1,vpc-2' }),
    /parameter Tables: vpc-2 does not match/,
  );
  assert.throws(() => read(template, { Level: 'INFO', Port: '11' }), /parameter Port: 11 is above 10/);
  assert.throws(() => read(template, { Level: 'INFO', Port: 'x' }), /parameter Port: x is no number/);
  assert.throws(() => read(template, { Level: 'INFO', Colour: 'red' }), /there is no parameter Colour/);
});

test('a property that would silently not be honoured is an error that names it', () => {
  assert.throws(
    () => queuesOf(read(resource('{ Type: AWS::SQS::Queue, Properties: { FifoThroughputLimit: perQueue } }'))),
    /Thing: the property FifoThroughputLimit/,
  );
  const code = 'CodeUri: ., Handler: a.b';
  assert.throws(
    () =>
      functionsOf(read(resource(`{ Type: AWS::Serverless::Function, Properties: { ${code}, VpcConfig: {} } }`)), '/'),
    /Thing: the property VpcConfig/,
  );
});

test('globals reach every function, and a function adds to them', () => {
  const stack = read(`
Globals: { Function: { Handler: index.handler, Timeout: 9, Environment: { Variables: { A: 1, B: 2 } } } }
Resources:
  One: { Type: AWS::Serverless::Function, Properties: { CodeUri: ../code, Environment: { Variables: { B: 3 } } } }
`);
  const [one] = functionsOf(stack, '/project/infra');
  assert.equal(one?.timeoutSeconds, 9);
  assert.equal(one?.codeFolder, '/project/code');
  assert.deepEqual(one?.environment, { A: '1', B: '3' });
});

test("functions' events are rules and mappings like resources of their own", () => {
  const stack = read(readFileSync(fixtureTemplate, 'utf8'));
  const functions = functionsOf(stack, '/');
  const rules = rulesOf(stack, functions);
  assert.deepEqual(
    rules.map(({ logicalId }) => logicalId),
    ['OrderRule', 'LostRule', 'WorkerWish', 'WorkerTick'],
  );
  assert.equal(rules.find(({ logicalId }) => logicalId === 'WorkerTick')?.schedule, 'rate(1 minute)');
  const mappings = mappingsOf(stack, functions);
  assert.deepEqual(
    mappings.map(({ logicalId, batchSize, retries }) => [logicalId, batchSize, retries]),
    [
      ['OrderTakerOrders', 10, -1],
      ['WatcherLeases', 10, 2],
    ],
  );
});

test('an event type that cannot be delivered is an error that names it', () => {
  const stack = read(
    resource(
      '{ Type: AWS::Serverless::Function, Properties: { CodeUri: ., Handler: a.b, Events: { Web: { Type: HttpApi } } } }',
    ),
  );
  assert.throws(() => rulesOf(stack, functionsOf(stack, '/')), /Thing.Events.Web: the event type HttpApi/);
});

test('a sandbox whose template is not understood does not start', async () => {
  await assert.rejects(startSandbox({ templateFile: fixtureTemplate, parameters: { WithExtra: 'maybe' } }), {
    name: 'TemplateError',
  });
});
