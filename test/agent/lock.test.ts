import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { takeAgentLock } from '../../agent/lock.ts';

/** Test files run at the same time, and so may whole test runs. */
const unique = (name: string) => `test-${process.pid}-${name}`;

const lockModule = new URL('../../agent/lock.ts', import.meta.url).href;

/** Another process that takes the lock and holds it; its first line is `taken`, or why not. */
async function holder(
  t: TestContext,
  network: string,
  prefix: readonly string[] = [],
): Promise<{ child: ChildProcess; said: string }> {
  const script = `
    const { takeAgentLock } = await import(${JSON.stringify(lockModule)});
    try { await takeAgentLock(${JSON.stringify(network)}); console.log('taken'); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.message); }`;
  const [file = '', ...args] = [...prefix, process.execPath, '--input-type=module', '--eval', script];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const [line] = (await once(child.stdout ?? assert.fail(), 'data')) as [Buffer];
  return { child, said: line.toString().trim() };
}

test('a second agent for the network is refused, and told who runs', async (t) => {
  const network = unique('second');
  const lock = await takeAgentLock(network);
  t.after(() => lock.release());
  await assert.rejects(
    takeAgentLock(network),
    new RegExp(`already runs in this network namespace .process id ${process.pid}.`),
  );
  const { said } = await holder(t, network);
  assert.match(said, /already runs/);
});

test('agents of two networks run side by side', async (t) => {
  for (const name of ['one', 'two']) {
    const lock = await takeAgentLock(unique(name));
    t.after(() => lock.release());
  }
});

test('a lock that is given back can be taken', async (t) => {
  const network = unique('again');
  await (await takeAgentLock(network)).release();
  const lock = await takeAgentLock(network);
  t.after(() => lock.release());
});

test('a lock survives its process in no way: not even kill -9', async (t) => {
  const network = unique('killed');
  const { child, said } = await holder(t, network);
  assert.equal(said, 'taken');
  await assert.rejects(takeAgentLock(network), new RegExp(`process id ${child.pid}`));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await takeAgentLock(network);
  t.after(() => lock.release());
});

test('another network namespace has its own lock', { skip: process.getuid?.() !== 0 && 'needs root' }, async (t) => {
  const network = unique('namespace');
  const lock = await takeAgentLock(network);
  t.after(() => lock.release());
  const { said } = await holder(t, network, ['unshare', '--net']);
  assert.equal(said, 'taken');
});
