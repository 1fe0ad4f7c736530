import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const mark = 'LEASEWAY_LIVE_TEST';

if (process.env[mark] === 'inside') {
  await import('./scenario.ts');
} else {
  test('the whole agent in a namespace of its own', { skip: process.getuid?.() !== 0 && 'needs root' }, async () => {
    // The inner run is one of its own, and reports to this one by its exit code.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ['--net', process.execPath, '--test', fileURLToPath(import.meta.url)];
    // The namespace has no name, and is gone with its last process.
    const child = spawn('unshare', args, { env: { ...env, [mark]: 'inside' }, stdio: ['ignore', 'pipe', 'inherit'] });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    assert.equal(code, 0, said);
    assert.match(said, /^ℹ pass 1$|^# pass 1$/m);
  });
}
