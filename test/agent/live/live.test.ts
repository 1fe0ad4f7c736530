import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const scenario = new URL('./scenario.ts', import.meta.url).pathname;

test('the whole agent in a namespace of its own', { skip: process.getuid?.() !== 0 && 'needs root' }, async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // The namespace has no name, and is gone with its last process.
  const child = spawn('unshare', ['--net', process.execPath, '--test', scenario], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.equal(code, 0, said);
});
