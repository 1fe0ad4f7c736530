// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStack } from '../../../../infra/sandbox/template/stack.ts';

const options = { stackName: 'demo', parameters: {}, endpoint: 'http://127.0.0.1:1' };

/** The tags of one queue, each value an intrinsic. */
function resolved(values: string, parameters: Record<string, string> = {}) {
  const template = `
Parameters:
  Name: { Type: String, Default: red }
  Tables: { Type: CommaDelimitedList, Default: 'rtb-1, rtb-2' }
Mappings: { Sizes: { small: { memory: 128 } } }
Conditions:
  IsRed: !Equals [!Ref Name, red]
  IsBlue: !Equals [!Ref Name, blue]
  IsEither: !Or [!Condition IsRed, !Condition IsBlue]
  IsBoth: !And [!Condition IsRed, Condition: IsBlue]
  IsNotRed: !Not [!Condition IsRed]
Resources:
  Queue: { Type: AWS::SQS::Queue }
  Fifo: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true } }
  Table: { Type: AWS::DynamoDB::Table, Properties: { TableName: things } }
  Function: { Type: AWS::Serverless::Function, Properties: { CodeUri: ., Handler: index.handler } }
  Rule: { Type: AWS::Events::Rule, Properties: { Name: !Sub '\${AWS::StackName}-rule', Targets: ${values} } }
`;
  const stack = readStack(template, { ...options, parameters });
  return stack.resources.find(({ logicalId }) => logicalId === 'Rule')?.properties['Targets'];
}

const account = '123456789012';
const cases: readonly [string, string, unknown][] = [
  ['Ref of a parameter', '!Ref Name', 'red'],
  ['Ref of a list parameter', '!Ref Tables', ['rtb-1', 'rtb-2']],
  ['Ref in its full form', '{ Ref: Name }', 'red'],
  ['Ref of a pseudo parameter', '!Ref AWS::AccountId', account],
  ['Ref of a queue is its URL', '!Ref Queue', `http://127.0.0.1:1/${account}/demo-Queue`],
  ['Ref of a table is its name', '!Ref Table', 'things'],
  ['a FIFO queue without a name gets one that ends as it must', '!GetAtt Fifo.QueueName', 'demo-Fifo.fifo'],
  ['GetAtt Arn', '!GetAtt Queue.Arn', `arn:aws:sqs:eu-central-1:${account}:demo-Queue`],
  ['GetAtt in list form', "{ 'Fn::GetAtt': [Table, Arn] }", `arn:aws:dynamodb:eu-central-1:${account}:table/things`],
  ['GetAtt of the role that SAM makes', '!GetAtt FunctionRole.Arn', `arn:aws:iam::${account}:role/demo-FunctionRole`],
  [
    'Sub of parameter, attribute and pseudo parameter',
    "!Sub '${Name} ${Table.Arn} ${AWS::Region}'",
    `red arn:aws:dynamodb:eu-central-1:${account}:table/things eu-central-1`,
  ],
  ['Sub with names of its own', "!Sub ['${A}-${Name}', { A: !Ref Table }]", 'things-red'],
  ['Sub leaves an escaped variable', "!Sub '${!ec2:SourceInstanceARN}/${Name}'", '${ec2:SourceInstanceARN}/red'],
  ['Join', "!Join [',', !Ref Tables]", 'rtb-1,rtb-2'],
  ['Split and Select', "!Select [1, !Split ['/', a/b/c]]", 'b'],
  ['FindInMap', '!FindInMap [Sizes, small, memory]', 128],
  ['If', '!If [IsRed, yes, no]', 'yes'],
  ['Or', '!If [IsEither, yes, no]', 'yes'],
  ['And', '!If [IsBoth, yes, no]', 'no'],
  ['Not', '!If [IsNotRed, yes, no]', 'no'],
  ['NoValue leaves an element out', '[a, !If [IsBlue, b, !Ref AWS::NoValue], c]', ['a', 'c']],
  ['NoValue leaves a member out', '{ a: 1, b: !Ref AWS::NoValue }', { a: 1 }],
  ['If as an element that is a map', "[{ 'Fn::If': [IsRed, { a: 1 }, { b: 2 }] }]", [{ a: 1 }]],
];

for (const [name, value, wanted] of cases) {
  test(`${name}: ${value}`, () => assert.deepEqual(resolved(value), wanted));
}

const refused: readonly [string, string, RegExp][] = [
  [
    'an unknown intrinsic',
    '!ImportValue other',
    /Rule.Properties.Targets: the intrinsic Fn::ImportValue is not understood/,
  ],
  ['an unknown intrinsic in full form', "{ 'Fn::ForEach::X': [] }", /the intrinsic Fn::ForEach::X is not understood/],
  ['a name that refers to nothing', '!Ref Nobody', /Ref Nobody refers to nothing/],
  ['an attribute that does not exist', '!GetAtt Queue.Weight', /Fn::GetAtt Queue.Weight refers to nothing/],
  [
    'an unescaped policy variable',
    "!Sub '${ec2:SourceInstanceARN}'",
    /Fn::Sub \$\{ec2:SourceInstanceARN\} refers to nothing/,
  ],
  ['an unknown condition', '!If [IsGreen, a, b]', /there is no condition IsGreen/],
  ['an element beyond a list', '!Select [5, [a]]', /Fn::Select has no element 5/],
  ['a member beside an intrinsic', '{ Ref: Name, Other: 1 }', /Ref stands beside Other/],
];

for (const [name, value, message] of refused) {
  test(`${name} is an error that names it: ${value}`, () => {
    assert.throws(() => resolved(value), { name: 'TemplateError', message });
  });
}

test('a parameter that is given wins over its default', () => {
  assert.equal(resolved('!If [IsBlue, yes, no]', { Name: 'blue' }), 'yes');
});
