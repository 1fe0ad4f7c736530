import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buildAll } from '../../infra/build.ts';

async function project(t: { after(undo: () => Promise<void>): void }, files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'leaseway-build-'));
  t.after(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const handler = (text: string) => `export const handler = async (): Promise<string> => ${text};\n`;

async function answer(root: string, name: string): Promise<unknown> {
  const bundle = await import(pathToFileURL(join(root, `dist/functions/${name}/index.mjs`)).href);
  return bundle.handler({}, {});
}

test('every function folder becomes a bundle that answers, with a source map and an archive', async (t) => {
  const root = await project(t, {
    'functions/one/handler.ts': handler('"one"'),
    'functions/two/handler.ts': handler('"two"'),
    'functions/not-a-function.ts': handler('"three"'),
  });
  const built = await buildAll(root);
  assert.deepEqual(
    built.map(({ outfile }) => outfile),
    ['dist/functions/one/index.mjs', 'dist/functions/two/index.mjs'],
  );
  assert.equal(await answer(root, 'one'), 'one');
  assert.equal(await answer(root, 'two'), 'two');
  assert.ok(existsSync(join(root, 'dist/functions/one/index.mjs.map')));
  assert.ok(existsSync(join(root, 'dist/functions/one.zip')));
});

test('the agent is bundled where it exists', async (t) => {
  const root = await project(t, {
    'functions/one/handler.ts': handler('1'),
    'agent/main.ts': 'export const kind: string = "agent";\n',
  });
  await buildAll(root);
  const agent = await import(pathToFileURL(join(root, 'dist/agent/leaseway-agent.mjs')).href);
  assert.equal(agent.kind, 'agent');
});

test('N1: a CommonJS dependency that requires a module of Node loads from the bundle', async (t) => {
  const root = await project(t, {
    'functions/one/handler.ts': `import legacy from './legacy.cjs';\n${handler('legacy.join("a", "b")')}`,
    'functions/one/legacy.cjs': "module.exports = { join: require('path').join };\n",
  });
  await buildAll(root);
  assert.equal(await answer(root, 'one'), join('a', 'b'));
});

test('N3: an import that does not resolve fails the build and names it', async (t) => {
  const root = await project(t, {
    'functions/one/handler.ts': `import { x } from 'no-such-package';\n${handler('x')}`,
  });
  await assert.rejects(buildAll(root), /no-such-package/);
});

test('a warning of the bundler fails the build', async (t) => {
  const root = await project(t, { 'functions/one/handler.ts': handler('({ a: "1", a: "2" }).a') });
  await assert.rejects(buildAll(root), /Duplicate key/);
});

test('a project without functions fails the build', async (t) => {
  const root = await project(t, { 'functions/README.md': '' });
  await assert.rejects(buildAll(root), /no functions/);
});

test('building again writes nothing that has not changed, and removes what has no source any more', async (t) => {
  const root = await project(t, {
    'functions/one/handler.ts': handler('1'),
    'functions/two/handler.ts': handler('2'),
  });
  await buildAll(root);
  const bundle = join(root, 'dist/functions/one/index.mjs');
  const before = { ...(await stat(bundle)), text: await readFile(bundle, 'utf8') };
  await rm(join(root, 'functions/two'), { recursive: true });
  await buildAll(root);
  assert.equal((await stat(bundle)).ino, before.ino);
  assert.equal(await readFile(bundle, 'utf8'), before.text);
  assert.ok(!existsSync(join(root, 'dist/functions/two')));
  assert.ok(!existsSync(join(root, 'dist/functions/two.zip')));
});
