/** A kernel test that cannot run says so, and is a failure where it must run. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { kernelTest } from './kernel-test.ts';

const file = fileURLToPath(new URL('../vpc/security-group.test.ts', import.meta.url));

/** As somebody who is not root. */
function run(env: NodeJS.ProcessEnv): { status: number | null; stdout: string } {
  const { NODE_TEST_CONTEXT: _inner, ...outer } = process.env;
  return spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
    encoding: 'utf8',
    uid: 65534,
    gid: 65534,
    cwd: '/',
    env: { ...outer, ...env },
  });
}

kernelTest('without root each test is skipped and says why', async () => {
  const { status, stdout } = run({ LEASEWAY_MUST_NOT_SKIP: '0' });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ok 1 - .* # SKIP needs root$/m);
  assert.match(stdout, /^# skipped 3$/m);
});

kernelTest('with LEASEWAY_MUST_NOT_SKIP=1 that is a failure', async () => {
  const { status, stdout } = run({ LEASEWAY_MUST_NOT_SKIP: '1' });
  assert.equal(status, 1);
  assert.match(stdout, /must not be skipped here, but needs root/);
  assert.match(stdout, /^# fail 3$/m);
});
