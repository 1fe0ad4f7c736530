/** The live commands against the embedded AWS, process against process. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lease, local, row, worldFile } from '../shared/domain/world-file.ts';
import { leaseway } from './leaseway.ts';
import { type SandboxProcess, sandboxProcess } from './sandbox-process.ts';

/** ENI and instance ids that EC2 and the keeper take: hexadecimal. */
const held = (n: number, more = {}) =>
  lease(n, { instanceId: `i-a${n}`, eniId: `eni-a${n}`, expiresAt: 4_000_000_000, ...more });

function runningInstance(n: number) {
  const place = { VpcId: 'vpc-1', SubnetId: 'subnet-1', PrivateIpAddress: `10.0.1.${n}` };
  return {
    InstanceId: `i-a${n}`,
    State: { Name: 'running' },
    ...place,
    NetworkInterfaces: [{ NetworkInterfaceId: `eni-a${n}`, ...place, Attachment: { DeviceIndex: 0 } }],
  };
}

const world = {
  ...worldFile({
    listed: ['rtb-a', 'rtb-b'],
    leases: [held(1), held(2)],
    tables: {
      'rtb-a': [local, row('10.244.1.128/25', 'eni-a2'), row('10.244.2.0/24', 'eni-a1')],
      'rtb-b': [local, row('10.244.0.0/16', null, { TransitGatewayId: 'tgw-1' })],
    },
  }),
  instances: { Reservations: [{ Instances: [1, 2].map(runningInstance) }] },
};

const config = (tables: readonly string[]) =>
  JSON.stringify({ Network: '10.244.0.0/16', SubnetLen: 24, Backend: { Type: 'aws-vpc', RouteTableID: tables } });

async function callsOf(sandbox: SandboxProcess, action: string): Promise<number> {
  const calls = (await sandbox.control('GET', 'calls')) as readonly { action: string; caller: string }[];
  return calls.filter((call) => call.action === action && call.caller !== 'OPERATOR').length;
}

describe('a deployed stack', () => {
  let sandbox: SandboxProcess;
  before(async () => {
    sandbox = await sandboxProcess(world);
  });
  after(async () => {
    assert.equal(await sandbox.stop(), 0);
  });

  it('gives a world file that plans as the stack does', async () => {
    const file = JSON.stringify(await sandbox.control('GET', 'world'));
    const [fromFile, live] = await Promise.all([
      leaseway(['plan', '--world', '-', '--json'], { input: file }),
      sandbox.run(['plan', '--json']),
    ]);
    assert.equal(fromFile.stdout, live.stdout);
    assert.deepEqual([fromFile.code, live.code], [2, 2]);
  });

  it('is planned, synced and then right', async () => {
    const plan = await sandbox.run(['plan', '--json']);
    assert.equal(plan.code, 2, plan.stderr);
    assert.match(plan.stderr, /^rtb-a: shadow: 10\.244\.1\.128\/25 -> eni-a2/m);
    const { tables } = JSON.parse(plan.stdout);
    assert.deepEqual([tables['rtb-a'].steps.length, tables['rtb-b'].steps.length], [2, 2]);

    const dry = await sandbox.run(['resync', '--dry-run']);
    assert.equal(dry.code, 2);
    assert.equal(await callsOf(sandbox, 'CreateRoute'), 0);

    const one = await sandbox.run(['resync', '--table', 'rtb-b']);
    assert.equal(one.code, 0, one.stderr);
    assert.match(one.stdout, /^ {2}\+ 10\.244\.1\.0\/24 -> eni-a1 {2}missing$/m);

    const status = await sandbox.run(['status']);
    assert.match(status.stdout, /^10\.244\.1\.0\/24 +i-a1 +eni-a1 +pending +missing +routed$/m);
    assert.match(status.stdout, /^10\.244\.2\.0\/24 +i-a2 +eni-a2 +pending +changed +routed$/m);

    const rest = await sandbox.run(['resync', '--json']);
    assert.equal(rest.code, 0, rest.stderr);
    const report = JSON.parse(rest.stdout);
    assert.deepEqual(
      report.changes.map((change: Record<string, string>) => [change['action'], change['destination']]).sort(),
      [
        ['create', '10.244.1.0/24'],
        ['replace', '10.244.2.0/24'],
      ],
    );
    assert.equal((await sandbox.run(['plan'])).code, 0);
    const right = await sandbox.run(['status']);
    assert.equal(right.code, 2, 'a shadow is left, which no sync takes away');
    assert.match(right.stdout, /^10\.244\.1\.0\/24 +i-a1 +eni-a1 +routed +shadow +routed$/m);
    assert.match(right.stdout, /^rtb-a: shadow: 10\.244\.1\.128\/25 -> eni-a2/m);
  });

  it('explains an address, with the row that takes it', async () => {
    const { stdout, code } = await sandbox.run(['explain', '10.244.1.200', '--json']);
    assert.equal(code, 0);
    const { lease: key, node, tables } = JSON.parse(stdout);
    assert.deepEqual([key, node.instanceId, node.nodeIp], ['10.244.1.0/24', 'i-a1', '10.0.1.1']);
    assert.equal(tables['rtb-a'].word, 'shadow');
    const nobodys = await sandbox.run(['explain', '10.244.77.1']);
    assert.equal(
      nobodys.stdout,
      [
        '10.244.77.1  no lease holds it',
        '  rtb-a  no route: no row matches, packets to it are dropped',
        '  rtb-b  foreign: 10.244.0.0/16 -> tgw-1, not ours',
        '',
      ].join('\n'),
    );
  });

  it('lists, reserves and releases leases', async () => {
    const reserved = await sandbox.run(['leases', 'reserve', '--subnet', '10.244.9.0/24', '--eni', 'eni-a2', '--json']);
    assert.equal(reserved.code, 0, reserved.stderr);
    assert.equal(JSON.parse(reserved.stdout).lease.state, 'reserved');
    const reservation = await sandbox.run(['leases', 'release', '10.244.9.0/24']);
    assert.deepEqual([reservation.code, reservation.stderr], [0, '']);
    const list = await sandbox.run(['leases', 'list', '--state', 'active']);
    assert.deepEqual(
      list.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/).slice(0, 3).join(' ')),
      ['subnet state node', '10.244.1.0/24 active i-a1', '10.244.2.0/24 active i-a2'],
    );
    const advertised = await sandbox.run(['leases', 'advertise', 'i-a2', '192.0.2.7', '--json']);
    assert.equal(JSON.parse(advertised.stdout).lease.nodeIp, '192.0.2.7');
    const back = await sandbox.run(['leases', 'advertise', 'i-a2', '--none', '--json']);
    assert.equal(JSON.parse(back.stdout).lease.nodeIp, '10.0.1.2');
    const unknown = await sandbox.run(['leases', 'show', 'i-ff']);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /^leaseway: instanceId: .*\(got "i-ff"\)\n$/);
    const running = await sandbox.run(['leases', 'release', 'i-a2']);
    assert.equal(running.code, 0);
    assert.match(running.stderr, /^i-a2 is running, and is not told:$/m);
  });

  it('applies a configuration only when it was agreed to, and shows it first', async () => {
    const narrower = config(['rtb-a']);
    const asked = await sandbox.run(['network', 'apply', '-'], narrower);
    assert.equal(asked.code, 1);
    assert.match(asked.stdout, /^- Backend\.RouteTableID\[\]: "rtb-b"$/m);
    assert.match(asked.stderr, /--yes/);
    assert.match((await sandbox.run(['network', 'show'])).stdout, /revision 1,/);
    assert.equal((await sandbox.run(['network', 'apply', '-', '--dry-run'], narrower)).code, 2);
    const applied = await sandbox.run(['network', 'apply', '-', '--yes', '--json'], narrower);
    assert.equal(JSON.parse(applied.stdout).stored.revision, 2);
    assert.equal(
      (await sandbox.run(['network', 'apply', '-', '--yes'], narrower)).stdout.includes('nothing to change'),
      true,
    );
    const bad = await sandbox.run(['network', 'apply', '-', '--yes'], config(['rtb-zz']));
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /^leaseway: config\.Backend\.RouteTableID: .*rtb-zz/);
    const retired = await sandbox.run(['network', 'retire', '--table', 'rtb-b', '--yes']);
    assert.equal(retired.code, 0, retired.stderr);
    const early = await sandbox.run(['network', 'retire', '--table', 'rtb-b', '--remove', '--yes']);
    assert.equal(early.code, 1, early.stdout);
    assert.match(early.stderr, /^leaseway: --remove: rtb-b still holds \d+ routes? to be removed/m);
    const wide = await sandbox.run(['network', 'apply', '-', '--yes'], config(['rtb-a', 'rtb-b']));
    assert.equal(wide.code, 0, wide.stderr);
  });

  it('ends with 1 for what is not there, in one line', async () => {
    const stack = await sandbox.run(['plan', '--stack', 'nobodys']);
    assert.deepEqual([stack.code, stack.stdout], [1, '']);
    assert.match(stack.stderr, /^leaseway: --stack: there is no function nobodys-resync .*\n$/);
    const table = await sandbox.run(['resync', '--table', 'rtb-zz']);
    assert.equal(table.code, 1);
    assert.match(table.stderr, /^leaseway: tables: rtb-zz is not among/);
  });

  it('ends with 1 when a table fails, names it, and writes the others', async () => {
    await sandbox.control('POST', 'faults', {
      service: 'ec2',
      action: 'CreateRoute',
      match: { RouteTableId: 'rtb-a' },
      error: 'UnauthorizedOperation',
      status: 403,
      times: 'always',
    });
    await sandbox.run(['leases', 'reserve', '--subnet', '10.244.11.0/24', '--eni', 'eni-a2']);
    const { code, stdout } = await sandbox.run(['resync']);
    const status = await sandbox.run(['status']);
    await sandbox.control('DELETE', 'faults');
    assert.equal(code, 1);
    assert.equal(status.code, 2, status.stderr + status.stdout);
    assert.match(status.stdout, /^rtb-a: writing it failed, and what failed is left alone until \d{4}-.*Z$/m);
    assert.match(stdout, /^rtb-a {2}failed/m);
    assert.match(stdout, /CreateRoute 10\.244\.11\.0\/24: UnauthorizedOperation/);
    assert.match(stdout, /^rtb-b {2}ok$/m);
  });
});

describe('a stack whose leases are lost', () => {
  const rows = [1, 2, 3, 4].map((n) => row(`10.244.${n}.0/24`, `eni-a${n}`));
  let sandbox: SandboxProcess;
  before(async () => {
    sandbox = await sandboxProcess(worldFile({ tables: { 'rtb-a': [local, ...rows] } }));
  });
  after(async () => {
    assert.equal(await sandbox.stop(), 0);
  });

  it('is refused with 3 by the guard, and let through by the digest that was shown', async () => {
    const refused = await sandbox.run(['resync']);
    assert.equal(refused.code, 3, refused.stderr);
    const digest = /--force ([0-9a-f]{16})/.exec(refused.stdout)?.[1] ?? '';
    assert.equal((await sandbox.run(['plan'])).code, 3);
    const wrong = await sandbox.run(['resync', '--force', '0000000000000000']);
    assert.equal(wrong.code, 3);
    assert.ok(wrong.stdout.includes(`--force 0000000000000000: what is held back now has the digest ${digest}`));
    assert.equal(await callsOf(sandbox, 'DeleteRoute'), 0);
    assert.equal((await sandbox.run(['resync', '--force', digest])).code, 0);
    assert.equal(await callsOf(sandbox, 'DeleteRoute'), 4);
    const again = await sandbox.run(['resync', '--force', digest]);
    assert.equal(again.code, 0);
    assert.match(again.stdout, /^--force [0-9a-f]{16}: nothing is held back under this digest/m);
  });
});
