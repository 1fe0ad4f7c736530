import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseListen } from '../../../agent/serve/listen-address.ts';
import { NoAgent, readStatus } from '../../../agent/serve/read-status.ts';
import { type Serving, startServing } from '../../../agent/serve/serving.ts';
import { report } from './report.ts';

const loopback = { host: '127.0.0.1', port: 0 };

async function stateDir(t: TestContext, ...deeper: readonly string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'leaseway-'));
  t.after(() => rm(root, { recursive: true }));
  const path = join(root, ...deeper);
  await mkdir(path, { recursive: true });
  return path;
}

async function serve(t: TestContext, dir: string): Promise<Serving> {
  const serving = await startServing({ stateDir: dir, listen: loopback, report: () => report });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= serving.close();
    return closed;
  };
  t.after(close);
  return { ...serving, close };
}

test('probes, metrics and status are answered on loopback', async (t) => {
  const { address } = await serve(t, await stateDir(t));
  for (const [path, type] of [
    ['/healthz', 'text/plain; charset=utf-8'],
    ['/readyz', 'text/plain; charset=utf-8'],
    ['/metrics', 'text/plain; version=0.0.4; charset=utf-8'],
    ['/status', 'application/json'],
  ]) {
    const response = await fetch(`http://${address}${path}`);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, type]);
    assert.notEqual(await response.text(), '');
  }
  const head = await fetch(`http://${address}/readyz`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

for (const [name, deeper] of [
  ['', []],
  [', also where its path is too long for a socket', ['a'.repeat(100), 'b'.repeat(100)]],
] as const) {
  test(`the status is found by the state directory${name}`, async (t) => {
    const dir = await stateDir(t, ...deeper);
    const serving = await serve(t, dir);
    assert.equal((await readStatus(dir))['revision'], 7);
    await serving.close();
    await assert.rejects(readStatus(dir), NoAgent);
    assert.deepEqual(await readdir(dir), []);
  });
}

test("what a killed agent left behind is no agent, and in nobody's way", async (t) => {
  const dir = await stateDir(t);
  await writeFile(join(dir, 'agent.sock'), '');
  await assert.rejects(readStatus(dir), NoAgent);
  await serve(t, dir);
  assert.equal((await readStatus(dir))['ready'], true);
});

test('two agents do not share a state directory', async (t) => {
  const dir = await stateDir(t);
  await serve(t, dir);
  const second = startServing({ stateDir: dir, listen: null, report: () => report });
  await assert.rejects(second, new RegExp(`is in use by the agent with process id ${process.pid}$`));
  assert.equal((await readStatus(dir))['ready'], true, 'the first one still answers');
});

test('an address that is taken is named by its option, and nothing is left', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const dir = await stateDir(t);
  const serving = startServing({ stateDir: dir, listen: { host: '127.0.0.1', port }, report: () => report });
  await assert.rejects(serving, new RegExp(`^Error: --listen 127\\.0\\.0\\.1:${port}: somebody else listens there$`));
  assert.deepEqual(await readdir(dir), []);
});

for (const [text, expected] of [
  ['127.0.0.1:9476', { host: '127.0.0.1', port: 9476 }],
  ['[::1]:9476', { host: '::1', port: 9476 }],
  ['localhost:0', { host: '127.0.0.1', port: 0 }],
  ['off', null],
] as const) {
  test(`--listen ${text}`, () => {
    assert.deepEqual(parseListen(text), expected);
  });
}

for (const text of ['', '9476', '127.0.0.1', '127.0.0.1:65536', '::1:9476', 'example:1', '127.0.0.1:x']) {
  test(`--listen ${JSON.stringify(text)} is refused`, () => {
    assert.throws(() => parseListen(text), /^InvalidInput: --listen: is no address and port/);
  });
}
