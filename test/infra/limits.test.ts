import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStack } from '../../infra/sandbox/template/stack.ts';
import { map, template } from './template-resources.ts';

const source = readFileSync(join(import.meta.dirname, '../../infra/template.yaml'), 'utf8');

/** Lambda's, for names and values of all variables of a function together. */
const environmentBytes = 4096;
/** IAM's, without white space: of a managed policy, and of all inline policies of a role together. */
const managedPolicy = 6144;
const inlinePolicies = 10_240;

/**
 * What is longer on AWS than in the sandbox: CloudFormation ends each name that it makes with 14 more characters, of which
 * an environment has four and a policy at most three; regions and partitions have up to 7 more, and China's host names 3.
 */
const longerOnAws = 100;

const ids = (count: number, digits = 17) =>
  Array.from({ length: count }, (_, at) => `rtb-${at.toString(16).padStart(digits, '0')}`).join(',');

/** The longest values that the template takes. A function's name has at most 64 characters, `-publish-lease-changes` too. */
const longest = {
  RouteTableIds: ids(100),
  NetworkName: 'n'.repeat(63),
  LogLevel: 'DEBUG',
  Ec2EndpointUrl: `https://${'e'.repeat(248)}`,
};
const rendered = (parameters: Record<string, string>) =>
  readStack(source, {
    stackName: 's'.repeat(42),
    endpoint: 'https://sqs.eu-central-1.amazonaws.com',
    parameters,
  }).resources.map(({ logicalId, type, properties }) => ({ logicalId, type, properties: plain(properties) }));

function plain(value: unknown): Record<string, never> {
  return JSON.parse(JSON.stringify(value));
}

test('the longest parameters still fit into the environment of every function', () => {
  const functions = rendered(longest).filter(({ type }) => type === 'AWS::Serverless::Function');
  assert.equal(functions.length, 4);
  for (const { logicalId, properties } of functions) {
    const { Variables } = properties['Environment'] as unknown as { Variables: Record<string, string> };
    assert.equal(Variables['ROUTE_TABLE_IDS'], longest.RouteTableIds);
    const bytes = Object.entries(Variables).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    assert.ok(bytes + longerOnAws <= environmentBytes, `${logicalId}: ${bytes}`);
  }
});

test('and every policy fits into IAM, with the tables listed one by one', () => {
  for (const RouteTableIds of [ids(100), ids(100, 8)]) {
    for (const { logicalId, type, properties } of rendered({ ...longest, RouteTableIds })) {
      const { PolicyDocument, Policies = [] } = properties as unknown as {
        PolicyDocument?: unknown;
        Policies?: readonly { PolicyDocument: unknown }[];
      };
      const inline = Policies.reduce((sum, policy) => sum + size(policy.PolicyDocument), 0);
      assert.ok(inline + longerOnAws <= inlinePolicies, `${logicalId}: ${inline}`);
      if (type !== 'AWS::IAM::ManagedPolicy') continue;
      assert.ok(size(PolicyDocument) + longerOnAws <= managedPolicy, `${logicalId}: ${size(PolicyDocument)}`);
    }
  }
});

function size(policy: unknown): number {
  return JSON.stringify(policy).replace(/\s/g, '').length;
}

test('more tables than that are refused before anything is made, by the name of the parameter and with the number', () => {
  for (const RouteTableIds of [ids(101), ids(101, 8), ids(100, 18), '']) {
    assert.throws(() => rendered({ RouteTableIds }), /RouteTableIds: .*100 route table ids/);
  }
  // CloudFormation says the constraint's description whichever constraint it is.
  const { ConstraintDescription, Description } = map(template['Parameters']?.['RouteTableIds']);
  for (const text of [ConstraintDescription, Description]) assert.match(String(text), /100/);
});
