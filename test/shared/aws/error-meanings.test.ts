import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { cancellationOf, isConditionFailed, isWorthAnotherTry, refusal } from '../../../shared/aws/error-meanings.ts';
import type { Meaning } from '../../../shared/reconcile/ports.ts';

function sdkError(name: string, status?: number, message = 'text'): Error {
  const metadata = status === undefined ? {} : { $metadata: { httpStatusCode: status } };
  return Object.assign(new Error(message), { name, ...metadata });
}

const cases: [Meaning, string, number, string?][] = [
  ['exists', 'RouteAlreadyExists', 400],
  ['no-route', 'InvalidRoute.NotFound', 400],
  ['no-table', 'InvalidRouteTableID.NotFound', 400],
  ['no-table', 'InvalidRouteTableId.NotFound', 400],
  ['invalid', 'InvalidRouteTableId.Malformed', 400],
  ['invalid', 'InvalidRouteTableID.Malformed', 400],
  ['no-target', 'InvalidNetworkInterfaceID.NotFound', 400],
  ['no-target', 'InvalidNetworkInterfaceId.NotFound', 400],
  ['invalid', 'InvalidNetworkInterfaceId.Malformed', 400],
  ['full', 'RouteLimitExceeded', 400],
  ['denied', 'UnauthorizedOperation', 403],
  ['denied', 'AccessDeniedException', 400],
  ['denied', 'AuthFailure', 401],
  ['throttled', 'RequestLimitExceeded', 503],
  ['throttled', 'Throttling', 400],
  ['throttled', 'ThrottlingException', 400],
  ['transient', 'InternalError', 500],
  ['transient', 'Unavailable', 503],
  ['transient', 'InvalidParameterException', 400],
  ['transient', 'ExpiredToken', 400],
  ['invalid', 'InvalidParameterValue', 400],
  ['invalid', 'OperationNotPermitted', 400],
];

for (const [meaning, code, status, action = 'CreateRoute'] of cases) {
  test(`${code} with status ${status} means ${meaning}`, () => {
    const { code: kept, meaning: found } = refusal(action, sdkError(code, status));
    assert.deepEqual([found, kept], [meaning, code]);
  });
}

test('a replace of a missing row has no code of its own: its text tells', () => {
  const text = "There is no route defined for '10.244.1.0/24' in the route table. Use CreateRoute instead.";
  assert.equal(refusal('ReplaceRoute', sdkError('InvalidParameterValue', 400, text)).meaning, 'no-route');
  assert.equal(refusal('ReplaceRoute', sdkError('InvalidParameterValue', 400)).meaning, 'invalid');
  assert.equal(refusal('CreateRoute', sdkError('InvalidParameterValue', 400, text)).meaning, 'invalid');
});

test('E7: what is not known goes by its status, never by a flag of the SDK', () => {
  const flagged = Object.assign(sdkError('NeverHeardOf', 400), { retryable: true, $retryable: { throttling: true } });
  assert.equal(refusal('CreateRoute', flagged).meaning, 'invalid');
  assert.equal(refusal('CreateRoute', sdkError('NeverHeardOf', 500)).meaning, 'transient');
  assert.equal(refusal('CreateRoute', sdkError('NeverHeardOf', 599)).meaning, 'transient');
  assert.equal(refusal('CreateRoute', sdkError('NeverHeardOf', 429)).meaning, 'throttled');
  assert.equal(refusal('CreateRoute', sdkError('NeverHeardOf', 403)).meaning, 'denied');
});

test('E7: a broken parser, a lost connection, a time-out and an abort are transient', () => {
  const errors = [
    new TypeError("Cannot read properties of undefined (reading 'Error')"),
    Object.assign(new TypeError('undefined'), { $metadata: { httpStatusCode: 503 } }),
    // A proxy's page: no code in it, so it is no answer of EC2, whatever its status.
    Object.assign(new Error('XML parse error'), { $metadata: { httpStatusCode: 404 } }),
    sdkError('Unknown', 400),
    Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' }),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    sdkError('AbortError'),
    sdkError('TimeoutError'),
    'a text',
    undefined,
    null,
  ];
  for (const error of errors) assert.equal(refusal('CreateRoute', error).meaning, 'transient', String(error));
});

test('the message keeps its text and loses the encoded part about the account', () => {
  const text = 'You are not authorized to perform this operation. Encoded authorization failure message: abcDEF-123';
  const refused = refusal('CreateRoute', sdkError('UnauthorizedOperation', 403, text));
  assert.equal(refused.message, 'You are not authorized to perform this operation.');
  assert.ok(!refused.message.includes('abcDEF'));
});

test('an error that is in our words already stays as it is', () => {
  const first = refusal('CreateRoute', sdkError('RouteLimitExceeded', 400));
  assert.equal(refusal('PutItem', first), first);
});

test('an error keeps its cause', () => {
  const cause = sdkError('InternalError', 500);
  assert.equal(refusal('CreateRoute', cause).cause, cause);
});

function cancelled(...codes: string[]): Error {
  const reasons = { CancellationReasons: codes.map((Code) => ({ Code })) };
  return refusal('TransactWriteItems', Object.assign(sdkError('TransactionCanceledException', 400), reasons));
}

test('a cancelled transaction is one of three: a condition, others at the same items, or nothing that can be', () => {
  assert.equal(cancellationOf(cancelled('None', 'ConditionalCheckFailed', 'TransactionConflict')), 'condition');
  assert.equal(cancellationOf(cancelled('TransactionConflict', 'None')), 'busy');
  assert.equal(cancellationOf(cancelled('ThrottlingError')), 'busy');
  assert.equal(cancellationOf(cancelled('ValidationError', 'TransactionConflict')), 'invalid');
  assert.equal(cancellationOf(refusal('TransactWriteItems', sdkError('InternalServerError', 500))), null);
});

test('a failed condition is told from other refusals', () => {
  assert.ok(isConditionFailed(refusal('PutItem', sdkError('ConditionalCheckFailedException', 400))));
  assert.ok(!isConditionFailed(refusal('PutItem', sdkError('ThrottlingException', 400))));
});

test('entries of the bus are sent again for its own troubles only', () => {
  assert.ok(isWorthAnotherTry('ThrottlingException'));
  assert.ok(isWorthAnotherTry('InternalFailure'));
  assert.ok(!isWorthAnotherTry('MalformedDetail'));
});

test('the encoded message of a refused permission is nowhere in what a log prints', () => {
  for (const gap of [' ', '\n']) {
    const message = `You are not authorized.${gap}Encoded authorization failure message: AbCd-1234\nxyz`;
    const error = Object.assign(new Error(message), {
      name: 'UnauthorizedOperation',
      $metadata: { httpStatusCode: 403 },
    });
    const refused = refusal('DescribeInstances', error);
    assert.equal(refused.message, 'You are not authorized.');
    assert.doesNotMatch(inspect(refused, { depth: null }), /AbCd|xyz/);
  }
});
