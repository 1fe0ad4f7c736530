import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFunctionConfig } from '../../../shared/config/function-config.ts';
import { InvalidInput } from '../../../shared/domain/invalid-input.ts';

const env = {
  NETWORK: 'default',
  CLAIMS_TABLE: 'claims',
  LEASES_TABLE: 'leases',
  MAP_TABLE: 'map',
  ROUTE_TABLE_IDS: 'rtb-0a,rtb-0b',
  EVENT_BUS_NAME: 'default',
  REJECTS_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/rejects',
  AWS_REGION: 'eu-central-1',
  PATH: '/bin',
};

test('reads the environment into a typed value', () => {
  assert.deepEqual(readFunctionConfig(env), {
    network: 'default',
    claimsTable: 'claims',
    leasesTable: 'leases',
    mapTable: 'map',
    routeTableIds: ['rtb-0a', 'rtb-0b'],
    eventBusName: 'default',
    rejectsQueueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/rejects',
    region: 'eu-central-1',
  });
});

const { PATH, ...needed } = env;
for (const name of Object.keys(needed)) {
  test(`names ${name} when it is not set or empty`, () => {
    for (const value of [undefined, '', '  ']) {
      assert.throws(
        () => readFunctionConfig({ ...env, [name]: value }),
        (error) => error instanceof InvalidInput && error.field === name && error.message.includes('is not set'),
      );
    }
  });
}

const refused: [string, string, RegExp][] = [
  ['ROUTE_TABLE_IDS', ',', /empty entry/],
  ['ROUTE_TABLE_IDS', 'rtb-0a,', /empty entry/],
  ['ROUTE_TABLE_IDS', 'rtb-0a,,rtb-0b', /empty entry/],
  ['ROUTE_TABLE_IDS', 'rtb-0a,rtb-0b,rtb-0a', /twice/],
  ['ROUTE_TABLE_IDS', 'rtb-0a rtb-0b', /no route table id/],
  ['ROUTE_TABLE_IDS', 'vpc-0a', /no route table id/],
  ['ROUTE_TABLE_IDS', 'rtb-0A', /no route table id/],
  ['NETWORK', 'a#b', /letters, digits/],
  ['NETWORK', 'x'.repeat(64), /letters, digits/],
  ['REJECTS_QUEUE_URL', 'rejects', /no.* URL|not a URL/],
];
for (const [name, value, problem] of refused) {
  test(`refuses ${name}=${value.slice(0, 24)}`, () => {
    assert.throws(
      () => readFunctionConfig({ ...env, [name]: value }),
      (error) => error instanceof InvalidInput && error.field === name && problem.test(error.message),
    );
  });
}

test('spaces around entries of a list are no part of them', () => {
  const { routeTableIds } = readFunctionConfig({ ...env, ROUTE_TABLE_IDS: ' rtb-0a , rtb-0b ' });
  assert.deepEqual(routeTableIds, ['rtb-0a', 'rtb-0b']);
});
