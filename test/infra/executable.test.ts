import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildExecutable } from '../../infra/build.ts';
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

test('the agent becomes an executable, anew only when it changed', async (t) => {
  const root = await folder(t);
  assert.equal(await buildExecutable(root), null, 'without an agent there is none');
  await mkdir(join(root, 'agent'));
  const program = (word: string) =>
    writeFile(join(root, 'agent/main.ts'), `process.stdout.write('${word}' as string);\n`);
  const outfile = join(root, 'dist/agent/leaseway-agent');
  const run = () => execFileSync(outfile, { env: {}, encoding: 'utf8' });

  await program('one');
  const built = await buildExecutable(root);
  assert.equal(built?.outfile, 'dist/agent/leaseway-agent');
  assert.equal(run(), 'one');
  const { ino } = await stat(outfile);
  await buildExecutable(root);
  assert.equal((await stat(outfile)).ino, ino, 'the same file is still there');
  await program('two');
  await buildExecutable(root);
  assert.equal(run(), 'two');
});
