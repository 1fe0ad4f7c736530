/** The harness itself: whatever becomes of a test, no namespace and no process of it is left. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kernelTest } from './kernel-test.ts';
import { makeNamespace } from './namespaces.ts';
import { until } from './until.ts';

const module = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
const left = (pid: number) => readdirSync('/run/netns').filter((name) => name.startsWith(`lw-${pid}-`));

/** A process with a namespace and a child that ignores what it is told, inside it; then `ending`. */
function victim(ending: string) {
  const script = `
    import { spawn } from 'node:child_process';
    import { inNamespace } from ${module('./command.ts')};
    import { makeNamespace } from ${module('./namespaces.ts')};
    const namespace = await makeNamespace('victim');
    const [file, ...rest] = inNamespace(namespace, ['sh', '-c', 'trap "" INT TERM HUP; while :; do sleep 1; done']);
    spawn(file, rest, { stdio: 'ignore' }).unref();
    await new Promise((resolve) => setTimeout(resolve, 200));
    console.log('made');
    ${ending}`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  kernelTest(`a run that gets ${signal} leaves no namespace and dies of the signal`, async () => {
    const child = victim('setInterval(() => undefined, 1000);');
    await once(child.stdout, 'data');
    assert.equal(left(child.pid ?? 0).length, 1);
    child.kill(signal);
    const [, died] = await once(child, 'exit');
    assert.equal(died, signal);
    assert.deepEqual(left(child.pid ?? 0), []);
  });
}

kernelTest('a run that fails or just ends leaves no namespace', async () => {
  for (const ending of ["throw new Error('an assertion');", 'process.exit(3);', '']) {
    const child = victim(ending);
    await once(child, 'exit');
    assert.deepEqual(left(child.pid ?? 0), [], ending);
  }
});

kernelTest('what a killed run leaves is removed by the next one', async () => {
  const child = victim('setInterval(() => undefined, 1000);');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(left(child.pid ?? 0).length, 1);
  const next = victim('');
  await once(next, 'exit');
  await until('the orphan is gone', () => left(child.pid ?? 0).length === 0);
});

kernelTest('a namespace is removed with everything that runs inside', async (t) => {
  const namespace = await makeNamespace('busy');
  const child = spawn('ip', ['netns', 'exec', namespace, 'sleep', '100'], { stdio: 'ignore' });
  t.after(() => child.kill());
  await until(
    'it runs inside',
    () => spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' }).stdout !== '',
  );
  const { removeNamespace } = await import('./namespaces.ts');
  removeNamespace(namespace);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGKILL');
});
