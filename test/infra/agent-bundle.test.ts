import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { bundle } from '../../infra/bundle.ts';

const entry = new URL('../../agent/main.ts', import.meta.url).pathname;

for (const format of ['esm', 'cjs'] as const) {
  test(`the agent as ${format} runs alone, and holds no client of EC2 nor anything else of the functions`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'leaseway-agent-bundle-'));
    t.after(() => rm(folder, { recursive: true }));
    const outfile = join(folder, format === 'esm' ? 'agent.mjs' : 'agent.cjs');
    for (const { path, contents } of await bundle(entry, outfile, format)) await writeFile(path, contents);
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, 'run', '--help'], { cwd: folder });
    assert.match(stdout, /--claims-table/);

    const [code] = await bundle(entry, outfile, format).then((files) => files.filter(({ path }) => path === outfile));
    const text = Buffer.from(code?.contents ?? []).toString();
    assert.match(text, /DynamoDB_20120810/, 'the client that it does need is there');
    for (const foreign of ['DescribeRouteTables', 'AWSEvents', 'AmazonSQS', 'middy', 'dynalite']) {
      assert.ok(!text.includes(foreign), foreign);
    }
  });
}
