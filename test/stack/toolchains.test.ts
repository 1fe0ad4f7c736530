/** The tools that people deploy with, on what we ship; and what comes out of them, on both Nodes of Lambda. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { invokeBundle, samples } from '../infra/bundle-samples.ts';
import { emptyAws } from '../infra/empty-aws.ts';
import { region } from './ministack.ts';
import { checkout, program, searchPath, versionOf } from './third-parties.ts';

const folder = mkdtempSync(join(tmpdir(), 'leaseway-tools-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const template = `${checkout}infra/template.yaml`;

/** A tool in a home of its own, without credentials; what it printed. */
async function run(command: string, args: readonly string[], cwd = checkout): Promise<string> {
  const env = {
    PATH: searchPath(process.env['PATH'] ?? ''),
    HOME: folder,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    SAM_CLI_TELEMETRY: '0',
  };
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 1 << 26 });
  return stdout + stderr;
}

const sam = (...args: readonly string[]) => run(program('sam', 'sam'), args);
const builds = { sam: join(folder, 'sam'), osls: join(folder, 'osls') };

test('the SAM CLI', async (t) => {
  t.diagnostic(`ran ${await versionOf('aws-sam-cli', 'sam')} (${await versionOf('aws-sam-translator', 'sam')})`);
  await t.test('finds nothing wrong with the template', async () => {
    assert.match(await sam('validate', '--lint', '--template', template), /is a valid SAM Template/);
  });
  await t.test('builds it, and what it builds is valid too', async () => {
    assert.match(await sam('build', '--template', template, '--build-dir', builds.sam), /Build Succeeded/);
    const built = join(builds.sam, 'template.yaml');
    assert.match(await sam('validate', '--lint', '--template', built), /is a valid SAM Template/);
  });
});

test('the Serverless Framework', async (t) => {
  const version = JSON.parse(readFileSync(`${checkout}node_modules/osls/package.json`, 'utf8')).version as string;
  t.diagnostic(`ran osls ${version}`);
  const packaged = join(folder, 'packaged');
  await t.test('packages the service', async () => {
    const osls = `${checkout}node_modules/osls/bin/serverless.js`;
    const args = ['package', '--package', packaged, '--param', 'RouteTableIds=rtb-1,rtb-2'];
    await run(process.execPath, [osls, ...args], `${checkout}infra`);
    for (const name of Object.keys(samples)) {
      const zip = `${checkout}dist/functions/${name}.zip`;
      await run(program('python'), ['-m', 'zipfile', '--extract', zip, join(builds.osls, name)]);
    }
  });
  await t.test('makes a template that cfn-lint finds nothing wrong with', async () => {
    t.diagnostic(`ran ${await versionOf('cfn-lint')}`);
    await run(program('cfn-lint'), [template]);
    // W3005: the framework repeats in DependsOn what the role's GetAtt says already.
    const made = join(packaged, 'cloudformation-template-update-stack.json');
    await run(program('cfn-lint'), ['--ignore-checks', 'W3005', '--template', made]);
  });
});

test('what the tools have built runs on both Nodes of Lambda', async (t) => {
  const nodes = [process.execPath, `${checkout}.venv/node22/node_modules/.bin/node`];
  const aws = await emptyAws();
  t.after(() => aws.close());
  for (const node of nodes) {
    const version = (await run(node, ['--version'])).trim();
    t.diagnostic(`ran Node ${version}`);
    for (const [tool, build] of Object.entries(builds)) {
      for (const [name, invocations] of Object.entries(samples)) {
        for (const { event, answers, calls } of invocations) {
          await t.test(`Node ${version}, ${tool}: ${name} answers ${event}`, async () => {
            aws.actions.length = 0;
            const answer = await invokeBundle({ folder: built(build, name), event, url: aws.url, node });
            if (answers !== undefined) assert.deepEqual(answer, answers);
            assert.ok(aws.actions.includes(calls), `it called ${aws.actions.join(' ') || 'nothing'}`);
          });
        }
      }
    }
  }
  assert.deepEqual((await Promise.all(nodes.map((node) => run(node, ['--version'])))).map(major), ['v24', 'v22']);
});

const major = (version: string) => version.split('.')[0];

/** The folder of a function: `keep-leases`, or by its logical id `KeepLeasesFunction`. */
function built(build: string, name: string): string {
  const form = (text: string) => text.toLowerCase().replace(/-|function$/g, '');
  const found = readdirSync(build).filter((each) => form(each) === form(name));
  assert.equal(found.length, 1, `${name} among ${readdirSync(build).join(', ')}`);
  const path = join(build, found[0] ?? '');
  assert.ok(statSync(join(path, 'index.mjs')).size > 100_000);
  return path;
}
