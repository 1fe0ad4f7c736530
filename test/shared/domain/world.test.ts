import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseWorld } from '../../../shared/domain/world.ts';
import { planWorld } from '../../../shared/domain/world-plan.ts';
import { refusesWith } from './refusal.ts';
import { instances, lease, local, now, row, table, worldFile } from './world-file.ts';

const good = worldFile({ leases: [lease(1), lease(2)], states: { 'i-1': 'running' } });

/** The good world with one value set by its path; undefined takes the member away. */
function withValue(path: readonly (string | number)[], value: unknown): unknown {
  const world = structuredClone(good);
  let place: Record<string | number, unknown> = world;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (value === undefined) delete place[last];
  else place[last] = value;
  return world;
}

describe('a malformed world is refused by the name of its field', () => {
  const cases: readonly [string, unknown, string, RegExp][] = [
    ['no object', 'no object', 'world', /is not an object/],
    ['a list', [], 'world', /is not an object/],
    ['an unknown member', { ...good, lease: [] }, 'lease', /is leases meant/],
    ['a member of another case', { ...good, routetables: {} }, 'routetables', /is routeTables meant/],
    ['no configuration', withValue(['config'], undefined), 'config', /is missing/],
    ['no leases', withValue(['leases'], undefined), 'leases', /is missing/],
    ['leases that are no list', withValue(['leases'], {}), 'leases', /is not a list/],
    ['no route tables', withValue(['routeTables'], undefined), 'routeTables', /is missing/],
    ['a clock in milliseconds', withValue(['now'], now * 1000), 'now', /epoch seconds/],
    ['a clock in text', withValue(['now'], '2026-09-01T00:00:00Z'), 'now', /epoch seconds/],
    ['an unknown option', withValue(['options'], { routelimit: 5 }), 'options.routelimit', /is routeLimit meant/],
    ['no room at all', withValue(['options'], { routeLimit: 0 }), 'options.routeLimit', /positive/],
    ['room as text', withValue(['options'], { routeLimit: '5' }), 'options.routeLimit', /positive/],
    ['force without a digest', withValue(['options'], { force: true }), 'options.force', /digest/],
    ['a configuration key', withValue(['config', 'SubnetLn'], 24), 'config.SubnetLn', /SubnetLen/],
    ['no backend', withValue(['config', 'Backend'], undefined), 'config.Backend', /required/],
    ['no tables', withValue(['config', 'Backend', 'RouteTableID'], []), 'config.Backend.RouteTableID', /empty/],
    ['a lease that is text', withValue(['leases', 1], 'i-2'), 'leases[1]', /is not an object/],
    ['a lease without subnet', withValue(['leases', 1, 'subnet'], undefined), 'leases[1].subnet', /is missing/],
    ['a lease of null', withValue(['leases', 1, 'subnet'], null), 'leases[1].subnet', /CIDR/],
    ['an octal subnet', withValue(['leases', 1, 'subnet'], '10.244.010.0/24'), 'leases[1].subnet', /CIDR/],
    ['a subnet without length', withValue(['leases', 0, 'subnet'], '10.244.1.0'), 'leases[0].subnet', /CIDR/],
    ['no ENI', withValue(['leases', 1, 'eniId'], undefined), 'leases[1].eniId', /is missing/],
    ['no instance', withValue(['leases', 1, 'instanceId'], null), 'leases[1].instanceId', /is missing/],
    [
      'an ENI for an instance',
      withValue(['leases', 1, 'instanceId'], 'eni-1'),
      'leases[1].instanceId',
      /id such as i-/,
    ],
    ['an ENI of spaces', withValue(['leases', 1, 'eniId'], 'eni- 1'), 'leases[1].eniId', /id such as eni-/],
    ['an IPv6 node address', withValue(['leases', 1, 'nodeIp'], 'fd00::1'), 'leases[1].nodeIp', /IPv4/],
    ['an IPv4 second subnet', withValue(['leases', 1, 'ipv6Subnet'], '10.0.0.0/24'), 'leases[1].ipv6Subnet', /IPv6/],
    ['an unknown state', withValue(['leases', 1, 'state'], 'stopped'), 'leases[1].state', /is none of active, leaving/],
    ['an expiry in milliseconds', withValue(['leases', 1, 'expiresAt'], now * 1000), 'leases[1].expiresAt', /epoch/],
    ['an expiry in text', withValue(['leases', 1, 'expiresAt'], `${now}`), 'leases[1].expiresAt', /epoch seconds/],
    ['a misspelt expiry', withValue(['leases', 1, 'expireAt'], now), 'leases[1].expireAt', /is expiresAt meant/],
    ['a lease key of another case', withValue(['leases', 1, 'ENIID'], 'eni-3'), 'leases[1].ENIID', /is eniId meant/],
    [
      'a subnet of EC2 that is none',
      withValue(['leases', 1, 'subnetId'], '!!'),
      'leases[1].subnetId',
      /such as subnet-/,
    ],
    ['a MAC that is none', withValue(['leases', 1, 'vtepMac'], 'zz'), 'leases[1].vtepMac', /is not a MAC address/],
    [
      'a key that no version has',
      withValue(['leases', 1], JSON.parse('{"subnet": "10.244.2.0/24", "__proto__": {}}')),
      'leases[1].__proto__',
      /is not a known key/,
    ],
    ['instances as text', withValue(['instances'], 'i-1'), 'instances', /aws ec2 describe-instances prints/],
    ['lists of instances', withValue(['instances'], [[{ InstanceId: 'i-1' }]]), 'instances[0]', /is not an object/],
    ['an id for an instance', withValue(['instances'], ['i-1']), 'instances[0]', /is not an object/],
    ['no reservations', withValue(['instances'], {}), 'instances.Reservations', /is missing/],
    [
      'an instance without state',
      withValue(['instances', 'Reservations', 0, 'Instances', 0, 'State'], undefined),
      'instances.Reservations[0].Instances[0].State',
      /is missing/,
    ],
    [
      'tables as text',
      withValue(['routeTables'], 'rtb-1'),
      'routeTables',
      /describe-route-tables prints, .*RouteTables/,
    ],
    ['an id for a table', withValue(['routeTables'], ['rtb-1']), 'routeTables[0]', /is not an object/],
    ['route tables of null', withValue(['routeTables'], null), 'routeTables', /is missing/],
    ['no list of tables', withValue(['routeTables'], {}), 'routeTables.RouteTables', /is missing/],
    [
      'a table without id',
      withValue(['routeTables', 'RouteTables', 0, 'RouteTableId'], undefined),
      'routeTables.RouteTables[0].RouteTableId',
      /is missing/,
    ],
    [
      'a table twice',
      withValue(['routeTables', 'RouteTables', 1], table('rtb-1', [])),
      'routeTables.RouteTables[1].RouteTableId',
      /a second time/,
    ],
    [
      'a table without routes: unknown is not empty',
      withValue(['routeTables', 'RouteTables', 0, 'Routes'], undefined),
      'routeTables.RouteTables[0].Routes',
      /is missing/,
    ],
    [
      'a route without destination',
      withValue(['routeTables', 'RouteTables', 0, 'Routes', 0], { GatewayId: 'local' }),
      'routeTables.RouteTables[0].Routes[0]',
      /has none of DestinationCidrBlock/,
    ],
    ...(
      [
        ['a length beyond the family', { DestinationCidrBlock: '10.244.1.0/33' }, 'DestinationCidrBlock', /CIDR block/],
        ['an address as a destination', { DestinationCidrBlock: '10.244.1.0' }, 'DestinationCidrBlock', /CIDR block/],
        ['a destination of the other family', { DestinationCidrBlock: 'fd00::/64' }, 'DestinationCidrBlock', /IPv4/],
        ['IPv4 as IPv6', { DestinationIpv6CidrBlock: '10.0.0.0/8' }, 'DestinationIpv6CidrBlock', /IPv6/],
      ] as const
    ).map(([name, destination, key, problem]): [string, unknown, string, RegExp] => [
      name,
      withValue(['routeTables', 'RouteTables', 0, 'Routes', 1], { ...destination, NetworkInterfaceId: 'eni-1' }),
      `routeTables.RouteTables[0].Routes[1].${key}`,
      problem,
    ]),
    [
      'a state that is a number',
      withValue(['routeTables', 'RouteTables', 0, 'Routes', 0, 'State'], 7),
      'routeTables.RouteTables[0].Routes[0].State',
      /is not a string/,
    ],
  ];
  for (const [name, world, field, problem] of cases) {
    it(name, () => refusesWith(() => parseWorld(world), field, problem));
  }

  it('tables of two VPCs, before anything is planned', () => {
    const two = worldFile({ tables: { 'rtb-1': [local], 'rtb-2': [local] } });
    const tables = [table('rtb-1', [local]), { ...table('rtb-2', [local]), VpcId: 'vpc-2' }];
    const world = parseWorld({ ...two, routeTables: { RouteTables: tables } });
    refusesWith(() => planWorld(world), 'config.Backend.RouteTableID', /rtb-2|vpc-2.*vpc-1/);
  });
});

describe('what a world may leave out', () => {
  it('clock, instances, options and the optional members of a lease', () => {
    const { now: _now, instances: _instances, ...rest } = good;
    const world = parseWorld({
      ...rest,
      leases: [{ subnet: '10.244.1.0/24', instanceId: 'i-1', eniId: 'eni-1', nodeIp: '10.0.1.1' }],
    });
    assert.equal(world.now, null);
    assert.equal(world.leases[0]?.lease.state, 'active');
    assert.equal(world.leases[0]?.lease.expiresAt, null);
  });

  it('the instance of a reservation, also when it was released', () => {
    const reserved = { subnet: '10.244.9.0/24', eniId: 'eni-9' };
    const leases = [
      { ...reserved, state: 'reserved' },
      { ...reserved, state: 'released', instanceId: null },
    ];
    const read = parseWorld({ ...good, leases }).leases.map(({ lease: { state, instanceId } }) => [state, instanceId]);
    assert.deepEqual(read, [
      ['reserved', null],
      ['released', null],
    ]);
  });

  it('null is the same as to leave out, everywhere', () => {
    const optional = [
      ...['ipv6Subnet', 'nodeIp', 'nodeIpv6', 'subnetId', 'segment', 'vtepMac'],
      ...['state', 'acquiredAt', 'expiresAt', 'version'],
    ];
    const [bare, nulls] = [undefined, null].map((nothing) =>
      parseWorld({
        ...good,
        now: nothing,
        instances: nothing,
        leases: [lease(1, Object.fromEntries(optional.map((key) => [key, nothing])))],
        options: { routeLimit: nothing, force: nothing },
      }),
    );
    assert.deepEqual(nulls, bare);
    assert.deepEqual(parseWorld({ ...good, options: null }), parseWorld(good));
  });

  it('the case of ids', () => {
    const upper = withValue(['routeTables', 'RouteTables', 0, 'RouteTableId'], 'RTB-1');
    assert.deepEqual(parseWorld(upper), parseWorld(good));
    const listed = withValue(['config', 'Backend', 'RouteTableID'], ['RTB-1']);
    assert.deepEqual(parseWorld(listed), parseWorld(good));
    const twice = worldFile({ tables: { 'rtb-1': [local], 'RTB-1': [local] }, listed: ['rtb-1'] });
    refusesWith(() => parseWorld(twice), 'routeTables.RouteTables[1].RouteTableId', /a second time/);
    refusesWith(
      () => parseWorld(worldFile({ listed: ['rtb-1', 'RTB-1'] })),
      'config.Backend.RouteTableID[1]',
      /is listed twice/,
    );
  });

  it("the AWS CLI's wrapping: --query prints the list by itself", () => {
    const { routeTables, instances: given } = good as {
      routeTables: { RouteTables: unknown[] };
      instances: { Reservations: { Instances: unknown[] }[] };
    };
    const reservations = { ...good, routeTables: routeTables.RouteTables, instances: given.Reservations };
    assert.deepEqual(parseWorld(reservations), parseWorld(good));
    const machines = given.Reservations.flatMap(({ Instances }) => Instances);
    assert.deepEqual(parseWorld({ ...good, instances: machines }), parseWorld(good));
  });

  it('nothing expires without a clock', () => {
    const { now: _now, ...rest } = good;
    assert.equal(parseWorld({ ...rest, leases: [lease(1, { expiresAt: 1 })] }).leases[0]?.lease.state, 'active');
  });

  it('what another version adds to a lease, and tables that are not listed', () => {
    const odd = { RouteTableId: 'rtb-odd', Routes: 'not looked at' };
    const world = parseWorld({
      ...good,
      leases: [lease(1, { instanceArn: 'arn:aws:ec2:eu-west-1:1:instance/i-1', claimId: 'c', publicIp: '1.2.3.4' })],
      routeTables: { RouteTables: [odd, table('rtb-1', [local])] },
    });
    assert.deepEqual(
      world.tables.map(({ id }) => id),
      ['rtb-1'],
    );
  });

  it('the limit of the options wins over that of the configuration', () => {
    const limited = worldFile({ leaseway: { RouteLimit: 100 }, options: { routeLimit: 3 } });
    assert.equal(parseWorld(limited).config.routeLimit, 3);
  });

  it('tables of other VPCs that are not listed overlap nothing', () => {
    const other = { ...table('rtb-other', [row('10.244.0.0/16', null, { GatewayId: 'local' })]), VpcId: 'vpc-2' };
    const world = parseWorld({ ...good, routeTables: { RouteTables: [table('rtb-1', [local]), other] } });
    assert.equal(planWorld(world).tables.length, 1);
  });

  it('terminated instances are known as such', () => {
    const world = parseWorld({ ...good, instances: instances({ 'i-9': 'terminated', 'i-1': 'stopped' }) });
    assert.deepEqual([...world.terminated], ['i-9']);
    assert.equal(world.leases[0]?.lease.state, 'withdrawn');
  });
});
