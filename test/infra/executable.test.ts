import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withNote } from '../../infra/elf-note.ts';
import { writeExecutable } from '../../infra/executable.ts';

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'leaseway-executable-test-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

test('an executable runs its script without Node, with its arguments and exit code', async (t) => {
  const root = await folder(t);
  const outfile = join(root, 'bin/program');
  const script = `
    const { createHash } = require('node:crypto');
    console.log(JSON.stringify([process.argv.slice(2), createHash('sha256').update('x').digest('hex').length]));`;
  await writeExecutable(Buffer.from(script), outfile);
  const output = execFileSync(outfile, ['run', '--once'], { env: {}, cwd: root, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(output), [['run', '--once'], 64]);
  assert.deepEqual(await readdir(join(root, 'bin')), ['program'], 'nothing else is left');
});

test('a program that is no Node, or no ELF, is refused before anything is written', async (t) => {
  const root = await folder(t);
  const other = join(root, 'other');
  await writeFile(other, '#!/bin/sh\n');
  await assert.rejects(writeExecutable(Buffer.from(''), join(root, 'out'), other), /cannot be a single executable/);
  assert.throws(() => withNote(Buffer.from('#!/bin/sh\n'), 'NAME', Buffer.from('')), /no 64-bit ELF program/);
  assert.deepEqual(await readdir(root), ['other']);
});
