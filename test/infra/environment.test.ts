import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStack } from '../../infra/sandbox/template/stack.ts';
import { readFunctionConfig } from '../../shared/config/function-config.ts';

const source = readFileSync(join(import.meta.dirname, '../../infra/template.yaml'), 'utf8');

function environments(parameters: Record<string, string>): readonly Record<string, string>[] {
  const { resources } = readStack(source, { stackName: 'edge', endpoint: 'http://127.0.0.1:9', parameters });
  return resources
    .filter(({ type }) => type === 'AWS::Serverless::Function')
    .map(({ properties }) => JSON.parse(JSON.stringify(properties)).Environment.Variables);
}

test('every function finds the configuration that it needs in its environment', () => {
  for (const env of environments({ NetworkName: 'blue', RouteTableIds: 'rtb-1,rtb-2' })) {
    // Lambda itself sets the region.
    const config = readFunctionConfig({ ...env, AWS_REGION: 'eu-central-1' });
    assert.equal(config.network, 'blue');
    assert.deepEqual(config.routeTableIds, ['rtb-1', 'rtb-2']);
  }
});

test('functions call the EC2 of the region unless another endpoint is given', () => {
  for (const env of environments({ RouteTableIds: 'rtb-1' })) assert.ok(!('AWS_ENDPOINT_URL_EC2' in env));
  for (const env of environments({ RouteTableIds: 'rtb-1', Ec2EndpointUrl: 'http://127.0.0.1:1' })) {
    assert.equal(env['AWS_ENDPOINT_URL_EC2'], 'http://127.0.0.1:1');
  }
});

test('metrics and logs carry the name of the function that writes them', () => {
  const names = environments({ RouteTableIds: 'rtb-1' }).map((env) => env['POWERTOOLS_SERVICE_NAME']);
  assert.deepEqual(names, ['keep-leases', 'publish-lease-changes', 'sync-routes', 'resync']);
});

test('a parameter that could not be meant is refused before anything is made', () => {
  for (const [name, value] of Object.entries({
    RouteTableIds: 'rtb-1, subnet-2',
    NetworkName: 'a#b',
    DynamoDbEndpointVpcId: 'default',
    NodeSecurityGroupId: 'web',
    OverlayPort: '70000',
    PodCidr: '10.244.0.0',
    AlarmTopicArn: 'alarms',
    Architecture: 'riscv64',
    Ec2EndpointUrl: 'localhost:4566',
    LogRetentionDays: '31',
  })) {
    assert.throws(() => environments({ RouteTableIds: 'rtb-1', [name]: value }), new RegExp(name), `${name}=${value}`);
  }
});
