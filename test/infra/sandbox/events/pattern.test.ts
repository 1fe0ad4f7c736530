import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern } from '../../../../infra/sandbox/events/pattern.ts';

const yes = true;
const no = false;
const cases: readonly [string, unknown, unknown, boolean][] = [
  ['exact text', { a: ['x'] }, { a: 'x' }, yes],
  ['another text', { a: ['x'] }, { a: 'y' }, no],
  ['one of several', { a: ['x', 'y'] }, { a: 'y' }, yes],
  ['a member that is missing', { a: ['x'] }, {}, no],
  ['every member must match', { a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, no],
  ['members that no pattern names', { a: ['x'] }, { a: 'x', b: 'z' }, yes],
  ['a number is no text', { a: [1] }, { a: '1' }, no],
  ['null', { a: [null] }, { a: null }, yes],
  ['null is not absence', { a: [null] }, {}, no],
  ['the empty text', { a: [''] }, { a: '' }, yes],
  ['nested', { a: { b: ['x'] } }, { a: { b: 'x' } }, yes],
  ['nested, the parent is a leaf', { a: { b: ['x'] } }, { a: 'x' }, no],
  ['any element of a list', { a: ['x'] }, { a: ['w', 'x'] }, yes],
  ['no element of a list', { a: ['x'] }, { a: ['w'] }, no],
  ['any map of a list', { a: { b: ['x'] } }, { a: [{ b: 'w' }, { b: 'x' }] }, yes],
  ['prefix', { a: [{ prefix: 'lease#' }] }, { a: 'lease#1' }, yes],
  ['no prefix', { a: [{ prefix: 'lease#' }] }, { a: 'holder#1' }, no],
  ['prefix of a number', { a: [{ prefix: '1' }] }, { a: 12 }, no],
  ['prefix, whatever the case', { a: [{ prefix: { 'equals-ignore-case': 'LE' } }] }, { a: 'lease' }, yes],
  ['suffix', { a: [{ suffix: '.png' }] }, { a: 'x.png' }, yes],
  ['no suffix', { a: [{ suffix: '.png' }] }, { a: 'png.x' }, no],
  ['equal but for the case', { a: [{ 'equals-ignore-case': 'ABC' }] }, { a: 'aBc' }, yes],
  ['wildcard', { a: [{ wildcard: 'a*c.d' }] }, { a: 'abbbc.d' }, yes],
  ['wildcard: a dot is a dot', { a: [{ wildcard: 'a*c.d' }] }, { a: 'abcxd' }, no],
  ['anything but', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, yes],
  ['anything but, and it is', { a: [{ 'anything-but': 'x' }] }, { a: 'x' }, no],
  ['anything but several', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'y' }, no],
  ['anything but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xy' }, no],
  ['anything but prefixes', { a: [{ 'anything-but': { prefix: ['x', 'y'] } }] }, { a: 'z' }, yes],
  ['anything but wants something', { a: [{ 'anything-but': 'x' }] }, {}, no],
  ['exists', { a: [{ exists: true }] }, { a: 0 }, yes],
  ['exists, and it does not', { a: [{ exists: true }] }, {}, no],
  ['exists wants a leaf', { a: [{ exists: true }] }, { a: { b: 1 } }, no],
  ['absent', { a: [{ exists: false }] }, {}, yes],
  ['absent, and it is not', { a: [{ exists: false }] }, { a: 1 }, no],
  ['absent inside an absent map', { a: { b: [{ exists: false }] } }, {}, yes],
  ['absent or a value', { a: ['x', { exists: false }] }, { a: 'x' }, yes],
  ['numeric equal', { a: [{ numeric: ['=', 5] }] }, { a: 5 }, yes],
  ['numeric range', { a: [{ numeric: ['>', 0, '<=', 5] }] }, { a: 5 }, yes],
  ['numeric range, outside', { a: [{ numeric: ['>', 0, '<', 5] }] }, { a: 5 }, no],
  ['numeric of a text', { a: [{ numeric: ['=', 5] }] }, { a: '5' }, no],
  ['$or, the first', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { a: 'x' }, yes],
  ['$or, the second', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { b: 'y' }, yes],
  ['$or, neither', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { a: 'y' }, no],
  ['$or beside a member', { c: ['z'], $or: [{ a: ['x'] }, { b: ['y'] }] }, { a: 'x' }, no],
];

for (const [name, pattern, event, wanted] of cases) {
  test(`${name}: ${JSON.stringify(pattern)} of ${JSON.stringify(event)} is ${wanted}`, () => {
    assert.equal(compilePattern(pattern)(event), wanted);
  });
}

for (const [pattern, message] of [
  [{ a: 'x' }, /pattern.a: a pattern is a map/],
  [{ a: [] }, /pattern.a: an empty list matches nothing/],
  [{ a: { b: [{ cidr: '10.0.0.0/8' }] } }, /pattern.a.b: the matcher cidr is not understood/],
  [{ a: [{ numeric: ['=', 'x'] }] }, /pattern.a: numeric wants/],
  [{ a: [{ exists: 'yes' }] }, /pattern.a: exists is true or false/],
  [{ $or: [{ a: ['x'] }] }, /at least two patterns/],
] as const) {
  test(`a pattern that EventBridge refuses is refused with its place: ${JSON.stringify(pattern)}`, () => {
    assert.throws(() => compilePattern(pattern), message);
  });
}
