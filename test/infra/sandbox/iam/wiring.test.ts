import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkWiring } from '../../../../infra/sandbox/iam/wiring.ts';
import { functionsOf } from '../../../../infra/sandbox/template/functions.ts';
import { mappingsOf } from '../../../../infra/sandbox/template/mappings.ts';
import { rulesOf } from '../../../../infra/sandbox/template/rules.ts';
import { readStack } from '../../../../infra/sandbox/template/stack.ts';

const template = readFileSync(fileURLToPath(new URL('../../../../infra/template.yaml', import.meta.url)), 'utf8');

/** Checks the product's template with one passage changed; the passage must be there. */
function check(from: string | RegExp = '', to = '') {
  const changed = template.replace(from, to);
  assert.ok(from === '' || changed !== template, `the template has no ${from}`);
  const endpoint = 'http://127.0.0.1:1';
  const stack = readStack(changed, { stackName: 's', parameters: { RouteTableIds: 'rtb-1' }, endpoint });
  const functions = functionsOf(stack, '/');
  checkWiring({ stack, endpoint, functions, rules: rulesOf(stack, functions), mappings: mappingsOf(stack, functions) });
}

test("every wire of the product's template carries", () => check());

for (const [what, from, to, message] of [
  [
    'a rule that no queue policy names',
    '- !GetAtt SyncContinuationRule.Arn',
    '- !GetAtt SweepScheduleRule.Arn',
    /SyncContinuationRule: nothing permits events.amazonaws.com to deliver to .*:s-sync.fifo/,
  ],
  [
    'a dead-letter queue without a policy',
    'Queues: [!Ref EventsDeadLetterQueue]',
    'Queues: [!Ref RejectsQueue]',
    /InstanceStateRule: .* send dead letters to .*EventsDeadLetterQueue/,
  ],
  [
    'a rule without permission to invoke',
    'SourceArn: !GetAtt SweepScheduleRule.Arn',
    'SourceArn: !GetAtt SyncScheduleRule.Arn',
    /SweepScheduleRule: nothing permits .*:function:s-keep-leases/,
  ],
  [
    'a role that may not read its stream',
    'Resource: !GetAtt ClaimsTable.StreamArn',
    'Resource: !GetAtt LeasesTable.StreamArn',
    /KeepLeasesFunction: its role does not allow dynamodb:DescribeStream/,
  ],
  [
    'a role that may not read its queue',
    'sqs:DeleteMessage, ',
    '',
    /SyncRoutesFunction: its role does not allow sqs:DeleteMessage/,
  ],
  [
    'a role that may not write its on-failure destination',
    'Resource: !GetAtt FailuresQueue.Arn',
    'Resource: !GetAtt RejectsQueue.Arn',
    /KeepLeasesFunction: its role does not allow sqs:SendMessage on .*FailuresQueue/,
  ],
] as const) {
  test(`${what} is an error that names both ends`, () =>
    assert.throws(() => check(from, to), { name: 'TemplateError', message }));
}
