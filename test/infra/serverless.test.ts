import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { buildAll } from '../../infra/build.ts';
import { functionNames } from '../../infra/entry-points.ts';
import { isJsonMap, type JsonMap } from '../../infra/read-template.ts';
import { byId, list, map, ofType, resources, template } from './template-resources.ts';

const root = resolve(import.meta.dirname, '../..');
const functions = ofType('AWS::Serverless::Function');
const stackName = 'edge';

let packaged: JsonMap = {};
let state: JsonMap = {};

/** Packages the service as a user would, but without credentials or a home, and reads what would be deployed. */
before(async () => {
  await buildAll(root);
  const folder = await mkdtemp(join(tmpdir(), 'leaseway-osls-'));
  const osls = join(root, 'node_modules/osls/bin/serverless.js');
  const params = [`StackName=${stackName}`, 'RouteTableIds=rtb-1,rtb-2', 'LogLevel=DEBUG'];
  const command = ['package', '--package', folder, ...params.flatMap((param) => ['--param', param])];
  const env = { PATH: process.env['PATH'], HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
  await promisify(execFile)(process.execPath, [osls, ...command], { cwd: join(root, 'infra'), env });
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));
  const text = JSON.stringify(await read('cloudformation-template-update-stack.json'));
  packaged = JSON.parse(text.replace(/\b(\w+)LambdaFunction\b/g, '$1Function'));
  state = await read('serverless-state.json');
  await rm(folder, { recursive: true });
});

test('every function folder is a function of the template, and the reverse', () => {
  const folders = functions.map(({ properties }) => properties['CodeUri']);
  assert.deepEqual(
    folders.sort(),
    functionNames(root).map((name) => `../dist/functions/${name}`),
  );
});

test('the Serverless Framework deploys the functions of the template, each with the same settings and code', () => {
  const made = Object.entries(map(packaged['Resources'])).filter(
    ([, one]) => map(one)['Type'] === 'AWS::Lambda::Function',
  );
  assert.deepEqual(made.map(([id]) => id).sort(), functions.map(({ id }) => id).sort());
  const shared = map(template['Globals']?.['Function']);
  for (const [id, one] of made) {
    const { properties, attributes } = byId(id);
    const { CodeUri, FunctionName, ...wanted } = { ...shared, ...properties };
    const variables = { ...variablesOf(shared), ...variablesOf(properties) };
    const { Code, FunctionName: name, ...actual } = map(map(one)['Properties']);
    assert.deepEqual(actual, { ...wanted, Environment: { Variables: variables } }, id);
    assert.ok(list(map(one)['DependsOn']).includes(attributes['DependsOn'] ?? ''), id);
    assert.equal(name, String(map(FunctionName)['Fn::Sub']).replace(`\${${'AWS::StackName'}}`, stackName), id);
    const folder = String(CodeUri).replace('../dist/functions/', '');
    assert.match(String(map(Code)['S3Key']), new RegExp(`/${folder}\\.zip$`), id);
  }
});

function variablesOf(properties: JsonMap): JsonMap {
  return map(map(properties['Environment'])['Variables']);
}

test('everything but the functions is the same in both deployments', () => {
  const made = { ...map(packaged['Resources']) };
  for (const { id } of functions) delete made[id];
  const own = Object.keys(made).filter((id) => id.startsWith('ServerlessDeploymentBucket'));
  for (const id of own) delete made[id];
  const wanted = resources.filter(({ type }) => type !== 'AWS::Serverless::Function');
  assert.deepEqual(Object.keys(made).sort(), wanted.map(({ id }) => id).sort());
  for (const { id } of wanted) assert.deepEqual(made[id], template['Resources']?.[id], id);
  for (const section of ['Parameters', 'Conditions']) assert.deepEqual(packaged[section], template[section], section);
  const { ServerlessDeploymentBucketName, ...outputs } = map(packaged['Outputs']);
  assert.ok(isJsonMap(ServerlessDeploymentBucketName));
  assert.deepEqual(outputs, template['Outputs']);
});

test('the template has no section that the Serverless Framework would lose', () => {
  assert.deepEqual(Object.keys(template), ['Metadata', 'Parameters', 'Conditions', 'Globals', 'Resources', 'Outputs']);
});

test('values given on the command line become parameters of the stack', () => {
  const { stackParameters } = map(map(state['service'])['provider']);
  assert.deepEqual(stackParameters, [
    { ParameterKey: 'RouteTableIds', ParameterValue: 'rtb-1,rtb-2' },
    { ParameterKey: 'LogLevel', ParameterValue: 'DEBUG' },
  ]);
});
