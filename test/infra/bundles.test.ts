import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { buildAll } from '../../infra/build.ts';
import { functionNames } from '../../infra/entry-points.ts';

const root = resolve(import.meta.dirname, '../..');
const names = functionNames(root);

before(() => buildAll(root));

test('there are functions to build', () => {
  assert.notDeepEqual(names, []);
});

/** What a function finds in its environment. The endpoints lead nowhere. */
const environment = {
  NETWORK: 'default',
  CLAIMS_TABLE: 'claims',
  LEASES_TABLE: 'leases',
  MAP_TABLE: 'map',
  ROUTE_TABLE_IDS: 'rtb-1,rtb-2',
  EVENT_BUS_NAME: 'default',
  REJECTS_QUEUE_URL: 'http://127.0.0.1:9/000000000000/rejects',
  POWERTOOLS_SERVICE_NAME: 'test',
  POWERTOOLS_METRICS_NAMESPACE: 'Leaseway',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
};

for (const name of names) {
  test(`N1 N2 N3: ${name} loads from its bundle in an empty folder with nothing installed`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'leaseway-bundle-'));
    t.after(() => rm(folder, { recursive: true }));
    await cp(join(root, `dist/functions/${name}/index.mjs`), join(folder, 'index.mjs'));
    const program = "console.log(typeof (await import('./index.mjs')).handler)";
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      // Neither NODE_PATH nor a home: nothing but the folder can be found.
      { cwd: folder, env: environment },
    );
    assert.equal(stdout.trim().split('\n').at(-1), 'function');
  });

  test(`N2: the bundle of ${name} looks up no module by a name made at run time`, async () => {
    const code = await readFile(join(root, `dist/functions/${name}/index.mjs`), 'utf8');
    assert.doesNotMatch(code, /Dynamic require of/);
  });
}
