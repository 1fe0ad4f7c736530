/** The embedded EC2 as boto3 and the AWS CLI see it: its wire format, judged by clients that are not ours. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { worldOf } from '../faults/landscape.ts';
import { awsCli, awsJson } from './aws-cli.ts';
import { checkout, program, versionOf } from './third-parties.ts';

const run = promisify(execFile);
const sandbox = await startSandbox({
  templateFile: `${checkout}infra/template.yaml`,
  parameters: { RouteTableIds: 'rtb-a,rtb-b,rtb-c' },
  world: worldOf({ nodes: 3 }),
  functions: false,
  transitionMs: 5,
});
after(() => sandbox.close());

test('boto3 on the embedded EC2', async (t) => {
  t.diagnostic(`ran ${await versionOf('boto3')}, ${await versionOf('botocore')}`);
  const file = fileURLToPath(new URL('clients/ec2_essentials.py', import.meta.url));
  const { stdout } = await run(program('python'), ['-B', file, sandbox.url]);
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { case: string; error: string | null });
  assert.ok(results.length > 10);
  for (const { case: title, error } of results) await t.test(title, () => assert.equal(error, null, error ?? ''));
});

test('the AWS CLI on the embedded EC2', async (t) => {
  t.diagnostic(`ran ${await versionOf('awscli')}`);
  const aws = (...args: readonly string[]) => awsJson(sandbox.url, 'ec2', ...args);
  const where = ['--route-table-id', 'rtb-a', '--destination-cidr-block', '10.244.1.0/24'];

  await t.test('creates, replaces and deletes a route', async () => {
    assert.deepEqual(await aws('create-route', ...where, '--network-interface-id', 'eni-001'), { Return: true });
    await assert.rejects(awsCli(sandbox.url, 'ec2', 'create-route', ...where, '--network-interface-id', 'eni-002'), {
      stderr: /\(RouteAlreadyExists\).*CreateRoute.*10\.244\.1\.0\/24/,
    });
    await aws('replace-route', ...where, '--network-interface-id', 'eni-002');
    const query = 'RouteTables[].Routes[?DestinationCidrBlock==`10.244.1.0/24`].[NetworkInterfaceId,State]';
    assert.deepEqual(await aws('describe-route-tables', '--route-table-ids', 'rtb-a', '--query', query), [
      [['eni-002', 'active']],
    ]);
    await aws('delete-route', ...where);
    await assert.rejects(awsCli(sandbox.url, 'ec2', 'delete-route', ...where), {
      stderr: /\(InvalidRoute\.NotFound\)/,
    });
  });

  await t.test('what it prints is what a plan from a file takes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leaseway-world-'));
    try {
      const world = {
        config: {
          Network: '10.244.0.0/16',
          SubnetLen: 24,
          Backend: { Type: 'aws-vpc', RouteTableID: ['rtb-a', 'rtb-b', 'rtb-c'] },
        },
        leases: [{ subnet: '10.244.1.0/24', instanceId: 'i-001', eniId: 'eni-001', nodeIp: '10.0.64.1' }],
        instances: await aws('describe-instances'),
        routeTables: await aws('describe-route-tables', '--filters', 'Name=vpc-id,Values=vpc-1'),
      };
      const file = join(folder, 'world.json');
      writeFileSync(file, JSON.stringify(world));
      const plan = run(process.execPath, [`${checkout}cli/main.ts`, 'plan', '--world', file, '--json']);
      const { code, stdout } = await plan.then(
        () => ({ code: 0, stdout: '' }),
        (error) => error,
      );
      assert.equal(code, 2, stdout);
      const { tables } = JSON.parse(stdout) as { tables: Record<string, { steps: { action: string }[] }> };
      for (const id of ['rtb-a', 'rtb-b', 'rtb-c']) {
        assert.deepEqual(
          tables[id]?.steps.map(({ action }) => action),
          ['create'],
          id,
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  await t.test('EC2 and the sandbox agree on what a table looks like, whoever asks', async () => {
    const { routeTables } = (await (await fetch(`${sandbox.url}/_sandbox/world`)).json()) as { routeTables: object };
    assert.deepEqual(await aws('describe-route-tables', '--filters', 'Name=vpc-id,Values=vpc-1'), {
      RouteTables: (routeTables as { RouteTables: { VpcId: string }[] }).RouteTables.filter(
        ({ VpcId }) => VpcId === 'vpc-1',
      ),
    });
  });
});
