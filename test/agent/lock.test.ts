import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { takeAgentLock } from '../../agent/lock.ts';

/** Test files run at the same time, and so may whole test runs: each has a lock of its own. */
const lockOf = (name: string) => `leaseway-test-${process.pid}-${name}`;

const lockModule = new URL('../../agent/lock.ts', import.meta.url).href;

/** Another process that takes the lock and holds it; its first line is `taken`, or why not. */
async function holder(
  t: TestContext,
  network: string,
  lock: string,
  prefix: readonly string[] = [],
): Promise<{ child: ChildProcess; said: string }> {
  const script = `
    const { takeAgentLock } = await import(${JSON.stringify(lockModule)});
    try { await takeAgentLock(${JSON.stringify(network)}, ${JSON.stringify(lock)}); console.log('taken'); setInterval(() => {}, 1000); }
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

test('a second agent is refused, and told who runs', async (t) => {
  const name = lockOf('second');
  const lock = await takeAgentLock('one', name);
  t.after(() => lock.release());
  const refusal = `an agent for the network one already runs in this network namespace (process id ${process.pid})`;
  await assert.rejects(takeAgentLock('one', name), { message: refusal });
  assert.equal((await holder(t, 'one', name)).said, refusal);
});

test('R1: an agent of another network is refused too: each would delete the rows of the other', async (t) => {
  const name = lockOf('other-network');
  const lock = await takeAgentLock('one', name);
  t.after(() => lock.release());
  await assert.rejects(takeAgentLock('two', name), /for the network one already runs/);
});

test('a lock that is given back can be taken', async (t) => {
  const name = lockOf('again');
  await (await takeAgentLock('one', name)).release();
  const lock = await takeAgentLock('one', name);
  t.after(() => lock.release());
});

test('a lock survives its process in no way: not even kill -9', async (t) => {
  const name = lockOf('killed');
  const { child, said } = await holder(t, 'one', name);
  assert.equal(said, 'taken');
  await assert.rejects(takeAgentLock('one', name), new RegExp(`process id ${child.pid}`));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await takeAgentLock('one', name);
  t.after(() => lock.release());
});

test('another network namespace has its own lock', { skip: process.getuid?.() !== 0 && 'needs root' }, async (t) => {
  const name = lockOf('namespace');
  const lock = await takeAgentLock('one', name);
  t.after(() => lock.release());
  const { said } = await holder(t, 'one', name, ['unshare', '--net']);
  assert.equal(said, 'taken');
});
