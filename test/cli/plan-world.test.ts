import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCli } from '../../cli/program.ts';
import { lease, local, planOfFile, row, type WorldParts, worldFile } from '../shared/domain/world-file.ts';
import { capturedConsole } from './captured-console.ts';
import { leaseway } from './leaseway.ts';

const folder = mkdtempSync(join(tmpdir(), 'leaseway-plan-'));
after(() => rmSync(folder, { recursive: true }));

async function plan(parts: WorldParts, ...args: string[]) {
  return await leaseway(['plan', '--world', '-', ...args], { input: JSON.stringify(worldFile(parts)) });
}

const routed = [local, row('10.244.1.0/24', 'eni-1')];
const orphans = [1, 2, 3].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`));

describe('exit codes of plan --world', () => {
  it('0: nothing to do', async () => {
    const { code, stderr } = await plan({ leases: [lease(1)], tables: { 'rtb-1': routed } });
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('0 with a line on standard error: conflicts, shadows and overflow alone', async () => {
    const { code, stderr } = await plan({
      leases: [lease(1), lease(2), lease(3)],
      tables: {
        'rtb-1': [...routed, row('10.244.1.128/25', 'eni-x'), row('10.244.2.0/24', null, { GatewayId: 'vgw-1' })],
      },
      options: { routeLimit: 3 },
    });
    assert.equal(code, 0);
    assert.match(stderr, /shadow: 10\.244\.1\.128\/25/);
    assert.match(stderr, /conflict: 10\.244\.2\.0\/24/);
    assert.match(stderr, /10\.244\.3\.0\/24: overflow/);
  });

  it('0 with a line on standard error: a table beyond its limit, whose routes stay', async () => {
    const rows = [1, 2, 3].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`));
    const parts = { leases: [1, 2, 3].map((n) => lease(n)), tables: { 'rtb-1': [local, ...rows] } };
    const beyond = await plan({ ...parts, options: { routeLimit: 2 } });
    assert.equal(beyond.code, 0);
    assert.match(beyond.stdout, /^rtb-1 {2}3 kept, 1 foreign, 1 beyond its limit$/m);
    assert.equal(
      beyond.stderr.trimEnd(),
      'rtb-1: 1 route beyond its limit: what is there stays, and nothing more has room',
    );
    const json = JSON.parse((await plan({ ...parts, options: { routeLimit: 2 } }, '--json')).stdout);
    assert.deepEqual([json.tables['rtb-1'].room, json.tables['rtb-1'].over], [0, 1]);
    const full = await plan({ ...parts, options: { routeLimit: 3 } });
    assert.deepEqual([full.code, full.stderr], [0, '']);
  });

  it('2: changes pending', async () => {
    assert.equal((await plan({ leases: [lease(1)] })).code, 2);
  });

  it('3 before 2: refused by the guard', async () => {
    const { code, stderr } = await plan({ leases: [lease(9)], tables: { 'rtb-1': [local, ...orphans] } });
    assert.equal(code, 3);
    assert.match(stderr, /--force [0-9a-f]{16}/);
  });

  it('3, or what it would be without: a digest that fits nothing lets nothing through, and is said to', async () => {
    const force = '00000000000000aa';
    const held = { leases: [lease(9)], tables: { 'rtb-1': [local, ...orphans] }, options: { force } };
    const another = await plan(held, '--json');
    assert.equal(another.code, 3);
    const { digest } = JSON.parse(another.stdout).guard;
    assert.match(
      another.stderr,
      new RegExp(`^options.force ${force}: .* has the digest ${digest}: nothing was let through$`, 'm'),
    );
    const nothing = await plan({ leases: [lease(1)], tables: { 'rtb-1': routed }, options: { force } });
    assert.equal(nothing.code, 0);
    assert.match(nothing.stderr, /^options\.force 00000000000000aa: nothing is held back under this digest/m);
    const fits = await plan({ ...held, options: { force: digest } });
    assert.equal(fits.code, 2);
    assert.doesNotMatch(fits.stderr, /options\.force/);
  });

  it('a byte-order mark, which editors and shells of some systems write, is no part of the file', async () => {
    const file = join(folder, 'marked.json');
    const world = worldFile({ leases: [lease(1)], tables: { 'rtb-1': routed } });
    writeFileSync(file, `\ufeff${JSON.stringify(world)}`);
    assert.deepEqual((await leaseway(['plan', '--world', file])).code, 0);
    const input = await leaseway(['plan', '--world', '-'], { input: `\ufeff${JSON.stringify(world)}` });
    assert.equal(input.code, 0);
  });

  it('1: a listed table is missing, although a range of another network was given up in it', async () => {
    const leaseway = { Retired: [{ Network: '10.200.0.0/16', SubnetLen: 24, RouteTableID: 'rtb-2' }] };
    const { code, stdout } = await plan({ leaseway, listed: ['rtb-1', 'rtb-2'], tables: { 'rtb-1': routed } });
    assert.equal(code, 1);
    assert.match(stdout, /^rtb-2 {2}cannot be found$/m);
  });

  it('2: a table that is given up may be gone', async () => {
    const leaseway = { Retired: [{ RouteTableID: 'rtb-2' }] };
    assert.equal((await plan({ leaseway, leases: [lease(1)] })).code, 2);
  });

  it('1 before 3: a listed table is missing, and the others are planned', async () => {
    const parts = { listed: ['rtb-1', 'rtb-2'], leases: [lease(9)], tables: { 'rtb-1': [local, ...orphans] } };
    const { code, stdout, stderr } = await plan(parts, '--json');
    assert.equal(code, 1);
    assert.match(stderr, /^rtb-2: cannot be found$/m);
    const { tables } = JSON.parse(stdout);
    assert.deepEqual([tables['rtb-2'].status, tables['rtb-1'].steps.length], ['missing', 1]);
  });

  it('0: a table that was given up and is gone is as empty as can be', async () => {
    const { code } = await plan({
      listed: ['rtb-1'],
      leaseway: { Retired: [{ RouteTableID: 'rtb-old' }] },
      leases: [lease(1)],
      tables: { 'rtb-1': routed },
    });
    assert.equal(code, 0);
  });

  it("1 without a plan: the network overlaps the VPC's range", async () => {
    const tables = { 'rtb-1': [row('10.244.0.0/20', null, { GatewayId: 'local', Origin: 'CreateRouteTable' })] };
    const { code, stdout, stderr } = await plan({ leases: [lease(1)], tables }, '--json');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^leaseway: config\.Network: .*10\.244\.0\.0\/20 \(got "10\.244\.0\.0\/16"\)$/m);
  });

  it('1: a malformed world, in one line that names the field', async () => {
    const { code, stdout, stderr } = await plan({ leases: [lease(1, { eniId: 'i-1' })] }, '--json');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^leaseway: leases\[0\]\.eniId: .* \(got "i-1"\)\n$/);
  });

  it('1: text that is no JSON, with its place', async () => {
    const { code, stderr } = await leaseway(['plan', '--world', '-'], { input: '{"now": 1,}' });
    assert.equal(code, 1);
    assert.match(stderr, /^leaseway: world: is not JSON: .* line 1 column 11/);
  });

  it('1: a key given twice', async () => {
    const { code, stderr } = await leaseway(['plan', '--world', '-'], { input: '{"now": 1, "now": 2}' });
    assert.equal(code, 1);
    assert.match(stderr, /^leaseway: world\.now: is given a second time at line 1/);
  });

  it('1: a file that is not there', async () => {
    const { code, stderr } = await leaseway(['plan', '--world', join(folder, 'none.json')]);
    assert.equal(code, 1);
    assert.match(stderr, /^leaseway: --world: cannot be read: ENOENT \(got ".*none\.json"\)\n$/);
  });

  it('1: options that do not exist, with what was meant', async () => {
    const option = await leaseway(['plan', '--wrld', 'x']);
    assert.deepEqual([option.code, option.stdout], [1, '']);
    assert.match(option.stderr, /^leaseway: unknown option '--wrld' \(Did you mean --world\?\)\n$/);
    const command = await leaseway(['plna']);
    assert.equal(command.code, 1);
    assert.match(command.stderr, /^leaseway: unknown command 'plna' \(Did you mean plan\?\)\n$/);
  });
});

describe('the output of plan --world', () => {
  const parts: WorldParts = {
    leases: [lease(1), lease(2)],
    tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-9')] },
  };

  it('is the same bytes for the same world, from a file and from standard input', async () => {
    const file = join(folder, 'world.json');
    writeFileSync(file, JSON.stringify(worldFile(parts)));
    const [one, two] = await Promise.all([leaseway(['plan', '--world', file, '--json']), plan(parts, '--json')]);
    assert.equal(one.stdout, two.stdout);
    assert.equal(one.stdout, `${JSON.stringify(planOfFile(worldFile(parts)), null, 2)}\n`);
  });

  it('is plain text with a line a step where it is no terminal', async () => {
    const { stdout } = await plan(parts);
    assert.match(stdout, /^ {2}~ 10\.244\.1\.0\/24 eni-9 -> eni-1 {2}changed/m);
    assert.match(stdout, /^ {2}\+ 10\.244\.2\.0\/24 -> eni-2 {8}missing/m);
    assert.ok(!stdout.includes('\u001b'));
  });

  it('names a conflict once in each stream, and on a terminal once', async () => {
    const conflict = {
      leases: [lease(2)],
      tables: { 'rtb-1': [local, row('10.244.2.0/24', 'eni-x', { State: 'filtered' })] },
    };
    const timesIn = (text: string) => text.split('10.244.2.0/24 -> eni-x').length - 1;
    for (const isTerminal of [false, true]) {
      const { terminal, printed, noted } = capturedConsole(JSON.stringify(worldFile(conflict)), isTerminal);
      assert.equal(await runCli(['plan', '--world', '-'], terminal), 0);
      assert.deepEqual([timesIn(printed()), timesIn(noted())], [1, isTerminal ? 0 : 1]);
    }
  });

  it('comes without the AWS SDK being loaded', async () => {
    const trace =
      'data:text/javascript,' +
      encodeURIComponent(
        `import { registerHooks } from 'node:module';
       registerHooks({ resolve(name, context, next) {
         if (name.startsWith('@aws-sdk') || name.startsWith('@smithy')) throw new Error('loads ' + name);
         return next(name, context);
       } });`,
      );
    const { code, stderr } = await leaseway(['plan', '--world', '-'], {
      input: JSON.stringify(worldFile(parts)),
      node: ['--import', trace],
    });
    assert.deepEqual([code, stderr], [2, '']);
  });
});

it('reads a file from the folder in which the command was typed, whatever folder npm changed to', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'leaseway-typed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'mine.json'), JSON.stringify(worldFile({})));
  const env = { npm_lifecycle_event: 'leaseway', INIT_CWD: folder };
  const { code, stderr } = await leaseway(['plan', '--world', 'mine.json', '--json'], { env });
  assert.notEqual(code, 1, stderr);
});
