import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCli } from '../../cli/program.ts';
import { lease, local, now, row, strangers, type WorldParts, worldFile } from '../shared/domain/world-file.ts';
import { capturedConsole } from './captured-console.ts';

async function ask(args: readonly string[], parts: WorldParts) {
  const { terminal, printed, noted } = capturedConsole(JSON.stringify(worldFile(parts)));
  const code = await runCli([...args, '--world', '-'], terminal);
  return { code, stdout: `${printed()}\n`, stderr: noted() };
}

const parts: WorldParts = {
  listed: ['rtb-1', 'rtb-2', 'rtb-3'],
  config: { EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 },
  leaseway: { Protected: ['10.244.250.0/24'] },
  leases: [
    lease(1, { ipv6Subnet: 'fd00:244:0:1::/64' }),
    lease(2),
    lease(3, { state: 'withdrawn' }),
    lease(4),
    { subnet: '10.244.5.0/24', eniId: 'eni-fw', state: 'reserved' },
  ],
  tables: {
    'rtb-1': [
      local,
      row('10.244.1.0/24', 'eni-1'),
      row('fd00:244:0:1::/64', 'eni-old'),
      row('10.244.2.0/24', 'eni-old'),
      row('10.244.3.0/24', 'eni-3'),
      row('10.244.4.0/24', null, { VpcPeeringConnectionId: 'pcx-1' }),
    ],
    'rtb-2': [
      local,
      row('10.244.1.0/24', 'eni-1'),
      row('fd00:244:0:1::/64', 'eni-1'),
      row('10.244.1.128/25', 'eni-vpn'),
      row('172.16.0.0/16', 'eni-x'),
      row('172.17.0.0/16', 'eni-x'),
    ],
  },
  options: { routeLimit: 5 },
};

describe('status', () => {
  it('is a word for each lease in each table', async () => {
    const { code, stdout } = await ask(['status'], parts);
    assert.equal(code, 1);
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      '10.244.0.0/16 by /24, fd00:244::/48 by /64, aws-vpc, enforce',
      '',
      'lease          node        next hop  status     rtb-1      rtb-2    rtb-3',
      '10.244.1.0/24  i-1         eni-1     pending    changed    shadow   unknown',
      '10.244.2.0/24  i-2         eni-2     overflow   changed    no room  unknown',
      '10.244.3.0/24  i-3         eni-3     withdrawn  to delete  -        unknown',
      '10.244.4.0/24  i-4         eni-4     conflict   conflict   no room  unknown',
      '10.244.5.0/24  (reserved)  eni-fw    pending    missing    missing  unknown',
      '',
      'rtb-1: conflict: 10.244.4.0/24 -> pcx-1 is not ours and stays',
      "rtb-2: shadow: 10.244.1.128/25 -> eni-vpn is not ours and takes part of a lease's traffic",
      'rtb-3: cannot be found',
      '10.244.2.0/24: overflow: no room in rtb-2',
      '5 changes pending: leaseway plan',
    ]);
  });

  const routed = [local, row('10.244.1.0/24', 'eni-1')];
  const orphans = [7, 8, 9].map((n) => row(`10.244.${n}.0/24`, `eni-${n}`));
  const cases: readonly [string, number, WorldParts, string][] = [
    ['all well', 0, { tables: { 'rtb-1': routed } }, 'all well'],
    ['a stopped node', 0, { tables: { 'rtb-1': [local] }, states: { 'i-1': 'stopped' } }, 'all well'],
    [
      'a table that was given up',
      0,
      { tables: { 'rtb-1': routed }, leaseway: { Retired: [{ RouteTableID: 'rtb-0' }] } },
      'all well',
    ],
    ['changes pending', 2, { tables: { 'rtb-1': [local] } }, '1 change pending: leaseway plan'],
    [
      'a shadow',
      2,
      { tables: { 'rtb-1': [...routed, row('10.244.1.0/25', 'eni-x')] } },
      'rtb-1: shadow: 10.244.1.0/25 -> eni-x',
    ],
    [
      'a conflict',
      2,
      { tables: { 'rtb-1': [local, row('10.244.1.0/24', null, { GatewayId: 'vgw-1' })] } },
      'rtb-1: conflict:',
    ],
    [
      'no room',
      2,
      { tables: { 'rtb-1': [local, row('192.0.2.0/24', 'eni-x')] }, options: { routeLimit: 1 } },
      '10.244.1.0/24: overflow',
    ],
    [
      'a stale lease',
      2,
      { tables: { 'rtb-1': routed }, states: { 'i-1': 'running' }, now: now + 900_000 },
      '10.244.1.0/24: stale',
    ],
    [
      'refused by the guard',
      3,
      { tables: { 'rtb-1': [...routed, ...orphans] } },
      'rtb-1: the guard holds back 3 deletions',
    ],
    [
      'a listed table that is missing',
      1,
      { listed: ['rtb-1', 'rtb-2'], tables: { 'rtb-1': routed } },
      'rtb-2: cannot be found',
    ],
  ];
  for (const [name, expected, world, line] of cases) {
    it(`${expected}: ${name}`, async () => {
      const { code, stdout } = await ask(['status'], { leases: [lease(1)], ...world });
      assert.equal(code, expected, stdout);
      const [, , ...last] = stdout.split('\n\n');
      assert.ok(last.join().includes(line), stdout);
    });
  }

  it('marks the leases that a shadow takes a part of, in the tables that have it', async () => {
    const world = {
      leases: [lease(1)],
      tables: { 'rtb-1': routed, 'rtb-2': [...routed, row('10.244.1.0/25', 'eni-x')] },
    };
    const { leases, problems } = JSON.parse((await ask(['status', '--json'], world)).stdout);
    assert.deepEqual(leases['10.244.1.0/24'].tables, { 'rtb-1': 'routed', 'rtb-2': 'shadow' });
    assert.deepEqual(problems, [
      "rtb-2: shadow: 10.244.1.0/25 -> eni-x is not ours and takes part of a lease's traffic",
    ]);
  });

  it('has the reasons in its JSON', async () => {
    const { leases } = JSON.parse((await ask(['status', '--json'], parts)).stdout);
    assert.deepEqual(leases['10.244.2.0/24'], {
      node: 'i-2',
      nextHop: 'eni-2',
      status: 'overflow',
      reason: 'no room in rtb-2',
      tables: { 'rtb-1': 'changed', 'rtb-2': 'no room', 'rtb-3': 'unknown' },
    });
  });
});

describe('explain', () => {
  async function explained(address: string): Promise<string> {
    const { code, stdout } = await ask(['explain', address], parts);
    assert.equal(code, 0);
    return stdout;
  }

  it('names the lease, its node, and what each table does', async () => {
    assert.equal(
      await explained('10.244.2.7'),
      [
        '10.244.2.7  in the lease 10.244.2.0/24 of i-2, at eni-2',
        '  node   10.0.1.2, active',
        '  lease  overflow: no room in rtb-2',
        '  rtb-1  changed: the lease of i-2 is at eni-2',
        '  rtb-2  no room: the table is full',
        '  rtb-3  unknown: the table cannot be found',
        '',
      ].join('\n'),
    );
  });

  it('finds a lease by its IPv6 subnet', async () => {
    assert.match(await explained('fd00:244:0:1::9'), /in the lease 10\.244\.1\.0\/24 of i-1/);
  });

  it('names the more specific row of somebody else that takes the address, and only that address', async () => {
    assert.match(await explained('10.244.1.200'), /rtb-2 {2}shadow: 10\.244\.1\.128\/25 -> eni-vpn/);
    assert.doesNotMatch(await explained('10.244.1.100'), /shadow/);
  });

  it('says so where nobody holds the address', async () => {
    assert.equal(
      await explained('10.244.77.1'),
      [
        '10.244.77.1  no lease holds it',
        '  rtb-1  no route: no row matches, packets to it are dropped',
        '  rtb-2  no route: no row matches, packets to it are dropped',
        '  rtb-3  unknown: the table cannot be found',
        '',
      ].join('\n'),
    );
    assert.match(await explained('10.244.250.1'), /protected by 10\.244\.250\.0\/24/);
    assert.match(await explained('192.0.2.1'), /outside the network 10\.244\.0\.0\/16 and fd00:244::\/48/);
  });

  it('says what each table does with an address that no lease holds, and whose the row is', async () => {
    const others = {
      leases: [lease(1), lease(2, { state: 'released' })],
      tables: {
        'rtb-1': strangers,
        'rtb-2': [local, row('10.244.0.0/16', null, { VpcPeeringConnectionId: 'pcx-1' })],
        'rtb-3': [local, row('10.244.77.0/24', 'eni-9'), row('10.244.2.0/24', 'eni-2')],
        'rtb-4': [local, row('10.244.0.0/17', null, { NatGatewayId: 'nat-9', State: 'blackhole' })],
        'rtb-5': [local, ...[77, 78, 79].map((n) => row(`10.244.${n}.0/24`, 'eni-9'))],
      },
    };
    const textOf = async (address: string) => (await ask(['explain', address], others)).stdout.trimEnd().split('\n');
    assert.deepEqual(await textOf('10.244.77.1'), [
      '10.244.77.1  no lease holds it',
      '  rtb-1  default: 0.0.0.0/0 -> nat-1, not ours',
      '  rtb-2  foreign: 10.244.0.0/16 -> pcx-1, not ours',
      '  rtb-3  to delete: 10.244.77.0/24 -> eni-9: no lease, live or released, knows this route',
      '  rtb-4  blackhole: 10.244.0.0/17 -> nat-9, not ours: packets to it are dropped',
      '  rtb-5  held: 10.244.77.0/24 -> eni-9: no lease, live or released, knows this route; the guard holds its deletion back',
      '  not looked into: pl-6ba54002',
    ]);
    assert.equal((await textOf('10.0.9.9'))[1], '  rtb-1  local: 10.0.0.0/16 -> local, inside the VPC');
    const released = await textOf('10.244.2.2');
    assert.match(released[0] ?? '', /in the lease 10\.244\.2\.0\/24 of i-2/);
    assert.deepEqual(released.slice(3, 6), [
      '  rtb-1  default: 0.0.0.0/0 -> nat-1, not ours',
      '  rtb-2  foreign: 10.244.0.0/16 -> pcx-1, not ours',
      '  rtb-3  to delete: the lease of i-2 is released',
    ]);
    const { tables, prefixLists } = JSON.parse((await ask(['explain', '10.244.77.1', '--json'], others)).stdout);
    assert.deepEqual(tables['rtb-2'], {
      word: 'foreign',
      detail: '10.244.0.0/16 -> pcx-1, not ours',
      row: { destination: '10.244.0.0/16', nextHop: 'pcx-1', state: 'active', isOurs: false },
    });
    assert.deepEqual(prefixLists, ['pl-6ba54002']);
  });

  it('refuses what is no address', async () => {
    const { code, stderr } = await ask(['explain', '10.244.1'], parts);
    assert.equal(code, 1);
    assert.match(stderr, /^leaseway: ADDRESS: is not an IP address or a CIDR block \(got "10\.244\.1"\)$/);
  });
});
