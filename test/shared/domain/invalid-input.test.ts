import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidInput } from '../../../shared/domain/invalid-input.ts';

function messageFor(value: unknown): string {
  return new InvalidInput('config.SubnetLen', value, 'is wrong').message;
}

describe('an invalid input', () => {
  it('names field, problem and value', () => {
    const error = new InvalidInput('config.SubnetLen', '24', 'is wrong');
    assert.equal(error.message, 'config.SubnetLen: is wrong (got "24")');
    assert.equal(error.name, 'InvalidInput');
    assert.deepEqual([error.field, error.value, error.problem], ['config.SubnetLen', '24', 'is wrong']);
  });

  it('shows no value where there was none', () => {
    assert.equal(messageFor(undefined), 'config.SubnetLen: is wrong');
  });

  it('keeps its cause', () => {
    const cause = new Error('why');
    assert.equal(new InvalidInput('f', 1, 'is wrong', { cause }).cause, cause);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const [name, value, shown] of [
    ['null', null, 'null'],
    ['a list', [1, 'a'], '[1,"a"]'],
    ['NaN, which JSON would call null', Number.NaN, 'NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['a bigint, which JSON refuses', 10n, '10'],
    ['a bigint inside', { a: 10n }, '[object Object]'],
    ['a cycle', cycle, '[object Object]'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a text of several lines on one', 'a\nb', '"a\\nb"'],
  ] as const) {
    it(`shows ${name}`, () => assert.ok(messageFor(value).endsWith(`(got ${shown})`), messageFor(value)));
  }

  it('cuts what is long', () => {
    const message = messageFor('x'.repeat(5000));
    assert.ok(message.length < 200);
    assert.ok(message.endsWith('xxx...)'));
  });
});
