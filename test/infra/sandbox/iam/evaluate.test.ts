// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of policy variables
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed } from '../../../../infra/sandbox/iam/evaluate.ts';
import { statementsOf } from '../../../../infra/sandbox/iam/statement.ts';

const allow = { Effect: 'Allow', Action: 's:Do', Resource: '*' };
const own = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['${ec2:SourceInstanceARN}'] } };
const guards = { Null: { 'dynamodb:LeadingKeys': 'false', 'ec2:SourceInstanceARN': 'false' } };
const keys = (...values: string[]) => ({ 'dynamodb:leadingkeys': values });
const me = { 'ec2:sourceinstancearn': ['arn:me'] };

const yes = true;
const no = false;
const cases: readonly [string, unknown, Record<string, string[]>, boolean][] = [
  ['an exact action', allow, {}, yes],
  ['an action in another case', { ...allow, Action: 'S:do' }, {}, yes],
  ['a pattern of actions', { ...allow, Action: ['x:*', 's:D?'] }, {}, yes],
  ['another action', { ...allow, Action: 's:Done' }, {}, no],
  ['a resource', { ...allow, Resource: 'arn:*:s:*:*:thing/1' }, {}, yes],
  ['another resource', { ...allow, Resource: 'arn:*:s:*:*:thing/12' }, {}, no],
  ['a resource pattern in which a dot is a dot', { ...allow, Resource: 'arn.aws:s:r:a:thing/1' }, {}, no],
  ['StringEquals', { ...allow, Condition: { StringEquals: { k: ['a', 'b'] } } }, { k: ['b'] }, yes],
  ['StringEquals of an absent key', { ...allow, Condition: { StringEquals: { k: 'a' } } }, {}, no],
  ['StringEquals knows no pattern', { ...allow, Condition: { StringEquals: { k: 'a*' } } }, { k: ['ab'] }, no],
  ['StringEqualsIfExists of an absent key', { ...allow, Condition: { StringEqualsIfExists: { k: 'a' } } }, {}, yes],
  ['StringLike', { ...allow, Condition: { StringLike: { k: 'a*' } } }, { k: ['ab'] }, yes],
  ['StringNotEquals', { ...allow, Condition: { StringNotEquals: { k: 'a' } } }, { k: ['a'] }, no],
  ['every key of a condition', { ...allow, Condition: { StringEquals: { k: 'a', l: 'b' } } }, { k: ['a'] }, no],
  ['own leading key', { ...allow, Condition: { ...own, ...guards } }, { ...keys('arn:me'), ...me }, yes],
  ["another's leading key", { ...allow, Condition: { ...own, ...guards } }, { ...keys('arn:other'), ...me }, no],
  ["own and another's", { ...allow, Condition: { ...own, ...guards } }, { ...keys('arn:me', 'arn:other'), ...me }, no],
  ['no leading key, without the guard (the trap)', { ...allow, Condition: own }, me, yes],
  ['no leading key, with the guard', { ...allow, Condition: { ...own, ...guards } }, me, no],
  ['no instance at all', { ...allow, Condition: { ...own, ...guards } }, keys('${ec2:SourceInstanceARN}'), no],
];

for (const [name, statement, context, wanted] of cases) {
  test(`${name} is ${wanted ? 'allowed' : 'not allowed'}`, () => {
    const need = { action: 's:Do', resource: 'arn:aws:s:r:a:thing/1', context: new Map(Object.entries(context)) };
    assert.equal(isAllowed(need, statementsOf({ Statement: [statement] }, 'P')), wanted);
  });
}

for (const [statement, message] of [
  [
    { ...allow, Condition: { IpAddress: { k: '10.0.0.0/8' } } },
    /P\[0\]: the condition operator IpAddress is not understood/,
  ],
  [{ ...allow, NotAction: 's:x' }, /P\[0\]: NotAction of a statement is not understood/],
  [{ ...allow, Effect: 'Maybe' }, /P\[0\]: Effect is Allow or Deny/],
] as const) {
  test(`what cannot be enforced is an error: ${message.source}`, () => {
    assert.throws(() => statementsOf({ Statement: [statement] }, 'P'), message);
  });
}
