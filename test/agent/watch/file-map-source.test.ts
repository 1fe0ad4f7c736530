import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileMapSource } from '../../../agent/watch/file-map-source.ts';
import { systemClock } from '../../../shared/aws/clock.ts';
import { type Heard, listener, subnetsOf } from './listener.ts';

function mapText(subnets: readonly string[], more: object = {}): string {
  const leases = subnets.map((subnet, index) => ({ subnet, instanceId: `i-${index}`, nodeIp: `10.0.1.${index + 1}` }));
  const config = { Network: '10.244.0.0/16', Backend: { Type: 'host-gw' } };
  return JSON.stringify({ schema: 1, revision: 7, network: 'default', config, leases, ...more });
}

const [one, two] = [['10.244.1.0/24'], ['10.244.2.0/24']];

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'leaseway-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

function watch(t: TestContext, path: string, more: { racy?: number } = {}): Heard {
  const heard = listener();
  const source = fileMapSource({ path, look: 10, ...more, clockUntil: (signal) => systemClock({ signal }) });
  source.start(heard);
  t.after(() => source.close());
  return heard;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (holds()) return;
    await sleep(10);
  }
  assert.fail('it did not come about');
}

const shows = (heard: Heard, subnets: readonly string[]) =>
  until(() => subnetsOf(heard.maps.at(-1)).join() === subnets.join());

test('a file that is written over in place, with the same size and revision, is read anew', async (t) => {
  const path = join(await folder(t), 'map.json');
  await writeFile(path, mapText(one));
  const heard = watch(t, path);
  await shows(heard, one);
  for (const subnets of [two, one, two]) {
    await writeFile(path, mapText(subnets));
    await shows(heard, subnets);
  }
});

test('a byte-order mark, which editors and shells of some systems write, is no part of the map', async (t) => {
  const path = join(await folder(t), 'map.json');
  await writeFile(path, `\ufeff${mapText(one)}`);
  const heard = watch(t, path);
  await until(() => heard.maps.length > 0 || heard.problems.length > 0);
  assert.deepEqual(heard.problems, []);
  await shows(heard, one);
});

test('a file that another is renamed over is read anew, also with a lower revision', async (t) => {
  const path = join(await folder(t), 'map.json');
  await writeFile(path, mapText(one));
  const heard = watch(t, path);
  await shows(heard, one);
  await writeFile(`${path}.new`, mapText(two, { revision: 3 }));
  await rename(`${path}.new`, path);
  await shows(heard, two);
  assert.equal(heard.maps.at(-1)?.revision, 3);
});

test('a symlink on the way that gets another target is followed', async (t) => {
  const root = await folder(t);
  for (const [name, subnets] of [
    ['old', one],
    ['new', two],
  ] as const) {
    await mkdir(join(root, name));
    await writeFile(join(root, name, 'map.json'), mapText(subnets));
  }
  // As a Kubernetes ConfigMap is mounted: the file is a link through a link to a folder.
  await symlink('old', join(root, '..data'));
  await symlink('..data/map.json', join(root, 'map.json'));
  // The files are of one size, and neither changes: only where the links lead does.
  const heard = watch(t, join(root, 'map.json'), { racy: -Infinity });
  await shows(heard, one);
  await symlink('new', join(root, '..tmp'));
  await rename(join(root, '..tmp'), join(root, '..data'));
  await shows(heard, two);
});

test('a file that is truncated, half written, removed and written again withdraws nothing meanwhile', async (t) => {
  const path = join(await folder(t), 'map.json');
  await writeFile(path, mapText(one));
  const heard = watch(t, path);
  await shows(heard, one);
  const trouble = async (problem: RegExp) => {
    await until(() => heard.problems.some((text) => problem.test(text)));
    assert.equal(heard.maps.length, 1);
  };
  await truncate(path, 0);
  await trouble(/map\.json: is empty/);
  await writeFile(path, mapText(two).slice(0, 80));
  await trouble(/is not JSON \(half written\?\)/);
  await rm(path);
  await trouble(/ENOENT/);
  await writeFile(path, mapText(two, { schema: 2 }));
  await trouble(/map\.schema/);
  await writeFile(path, mapText(two));
  await shows(heard, two);
});

test('after a failed reading the same map is told again: the trouble is over', async (t) => {
  const path = join(await folder(t), 'map.json');
  await writeFile(path, mapText(one));
  const heard = watch(t, path);
  await shows(heard, one);
  await rename(path, `${path}.away`);
  await until(() => heard.problems.length > 0);
  await rename(`${path}.away`, path);
  await until(() => heard.maps.length === 2);
  assert.deepEqual(heard.maps.map(subnetsOf), [one, one]);
});

test('one lease that does not validate is refused by itself', async (t) => {
  const path = join(await folder(t), 'map.json');
  await writeFile(path, mapText(['10.244.1.0/24', 'nonsense', '10.244.3.0/24']));
  const heard = watch(t, path);
  await shows(heard, ['10.244.1.0/24', '10.244.3.0/24']);
  assert.deepEqual(
    heard.maps[0]?.refused.map(({ name }) => name),
    ['nonsense'],
  );
});

test('a pipe or a folder in the place of the file is named, and holds up nothing', async (t) => {
  const root = await folder(t);
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const heard = [watch(t, join(root, 'pipe')), watch(t, root)];
  await until(() => heard.every(({ problems }) => problems.some((text) => /is no plain file/.test(text))));
});
