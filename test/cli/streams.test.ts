/** What becomes of the streams that a command writes to, and of an environment that leads nowhere. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lease, row, worldFile } from '../shared/domain/world-file.ts';
import { leaseway } from './leaseway.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

test('a plan ends as it would although nobody reads its warnings', async () => {
  const shadows = Array.from({ length: 120 }, (_, at) => row(`10.244.1.${at * 2}/31`, 'eni-x'));
  const world = worldFile({ leases: [lease(1)], tables: { 'rtb-1': shadows } });
  const child = spawn(process.execPath, [main, 'plan', '--world', '-', '--json'], { stdio: 'pipe' });
  child.stderr.destroy();
  child.stdin.end(JSON.stringify(world));
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(code, 2);
  assert.equal(JSON.parse(stdout).tables['rtb-1'].shadows.length, 120);
});

test('without a region the one line says what to set', async () => {
  const { code, stderr } = await leaseway(['status'], { env: { AWS_EC2_METADATA_DISABLED: 'true' } });
  assert.equal(code, 1);
  assert.match(stderr, /^leaseway: AWS region: .*AWS_REGION/);
});
