import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addRunOptions, runOptions } from '../../../agent/options/run-options.ts';

function listenOf(...args: readonly string[]) {
  return runOptions(addRunOptions(new Command()).parse(args, { from: 'user' })).listen;
}

test('--listen is an address and a port, by default 127.0.0.1:9476, and nothing for off', () => {
  assert.deepEqual(listenOf(), { host: '127.0.0.1', port: 9476 });
  assert.deepEqual(listenOf('--listen', '[::1]:0'), { host: '::1', port: 0 });
  assert.equal(listenOf('--listen', 'off'), null);
});
