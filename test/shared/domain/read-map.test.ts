import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../../shared/domain/invalid-input.ts';
import { readMap } from '../../../shared/domain/read-map.ts';
import { direct, lease, mapOf, netConf } from './node-world.ts';

const base = { schema: 1, revision: 7, network: 'default', config: netConf(direct), leases: [] };

test('everything that a file may leave out has a default', () => {
  const map = readMap({ ...base, leases: [{ subnet: '10.244.1.0/24', instanceId: 'i-1', nodeIp: '10.0.1.10' }] });
  assert.equal(map.epoch, 0);
  assert.deepEqual(map.tables, []);
  assert.deepEqual(map.refused, []);
  const [only] = map.leases;
  assert.deepEqual(
    { ...only, subnet: only?.subnet.text },
    {
      name: '10.244.1.0/24',
      subnet: '10.244.1.0/24',
      ipv6Subnet: null,
      instanceId: 'i-1',
      eniId: null,
      nodeIp: '10.0.1.10',
      nodeIpv6: null,
      subnetId: null,
      segment: undefined,
      vtepMac: null,
      state: 'active',
      routedIn: [],
      ipv6RoutedIn: [],
    },
  );
});

test('null is the same as to leave out, but for a segment, where it says that there are no neighbours', () => {
  const optional = ['ipv6Subnet', 'eniId', 'nodeIpv6', 'subnetId', 'vtepMac', 'state', 'routedIn', 'ipv6RoutedIn'];
  const required = { subnet: '10.244.1.0/24', instanceId: 'i-1', nodeIp: '10.0.1.10' };
  const [bare, nulls] = [undefined, null].map((nothing) =>
    readMap({
      ...base,
      epoch: nothing,
      tables: nothing,
      leases: [{ ...required, ...Object.fromEntries(optional.map((key) => [key, nothing])) }],
    }),
  );
  assert.deepEqual(nulls, bare);
  assert.equal(readMap({ ...base, leases: [{ ...required, segment: null }] }).leases[0]?.segment, null);
});

test('unknown keys are ignored at every level', () => {
  const config = { ...netConf({ ...direct, Later: 1 }), Sooner: { a: 1 } };
  const map = readMap({
    ...base,
    config,
    hint: 1,
    leases: [{ ...lease(1, 1), weight: 3 }],
    tables: [{ id: 'rtb-1', x: 1 }],
  });
  assert.equal(map.leases.length, 1);
  assert.deepEqual(map.tables, [{ id: 'rtb-1', subnets: [], filling: false }]);
});

test('what is no map, or one of another schema, is an error that names the place', () => {
  const broken: readonly [unknown, string][] = [
    [null, 'map'],
    [[], 'map'],
    [{ ...base, schema: 2 }, 'map.schema'],
    [{ ...base, schema: '1' }, 'map.schema'],
    [{ ...base, revision: undefined }, 'map.revision'],
    [{ ...base, revision: 1.5 }, 'map.revision'],
    [{ ...base, network: '' }, 'map.network'],
    [{ ...base, leases: {} }, 'map.leases'],
    [{ ...base, config: { ...netConf(direct), Network: 'all' } }, 'map.config.Network'],
    [{ ...base, tables: [{ subnets: [] }] }, 'map.tables[0].id'],
  ];
  for (const [input, field] of broken) {
    assert.throws(
      () => readMap(input),
      (error) => error instanceof InvalidInput && error.field === field,
      `${field} of ${JSON.stringify(input)}`,
    );
  }
});

test('a lease that does not validate is refused by itself and by name', () => {
  const bad: readonly [Record<string, unknown> | string | null, string, RegExp][] = [
    [{ subnet: 'nonsense' }, 'nonsense', /subnet/],
    [{ subnet: undefined }, 'leases[1]', /subnet/],
    [{ nodeIp: '10.0.1' }, '10.244.9.0/24', /nodeIp/],
    [{ nodeIp: '0.0.0.0' }, '10.244.9.0/24', /not the address of a host/],
    [{ nodeIp: '127.0.0.1' }, '10.244.9.0/24', /not the address of a host/],
    [{ nodeIp: '224.0.0.9' }, '10.244.9.0/24', /not the address of a host/],
    [{ nodeIp: '255.255.255.255' }, '10.244.9.0/24', /not the address of a host/],
    [{ nodeIpv6: '::1' }, '10.244.9.0/24', /not the address of a host/],
    [{ nodeIpv6: 'fe80::1' }, '10.244.9.0/24', /not the address of a host/],
    [{ nodeIpv6: 'ff02::1' }, '10.244.9.0/24', /not the address of a host/],
    [{ vtepMac: '00:00:00:00:00:00' }, '10.244.9.0/24', /all zero/],
    [{ vtepMac: '01:00:5e:00:00:01' }, '10.244.9.0/24', /multicast/],
    [{ vtepMac: 'ff:ff:ff:ff:ff:ff' }, '10.244.9.0/24', /multicast/],
    [{ vtepMac: '02:00:00:00:00' }, '10.244.9.0/24', /vtepMac/],
    [{ vtepMac: '02:00:00:00:00:01 dev eth0' }, '10.244.9.0/24', /vtepMac/],
    [{ state: 'gone' }, '10.244.9.0/24', /state/],
    [{ instanceId: undefined }, '10.244.9.0/24', /instanceId/],
    [{ routedIn: 'rtb-1' }, '10.244.9.0/24', /routedIn/],
    ['text', 'leases[1]', /not an object/],
    [null, 'leases[1]', /not an object/],
  ];
  for (const [more, name, problem] of bad) {
    const hostile = typeof more === 'object' && more !== null ? lease(9, 1, more) : more;
    const map = mapOf([lease(1, 1), hostile, lease(2, 1)]);
    assert.deepEqual(
      map.leases.map(({ name }) => name),
      ['10.244.1.0/24', '10.244.2.0/24'],
    );
    assert.equal(map.refused[0]?.name, name);
    assert.match(map.refused[0]?.problem ?? '', problem);
  }
});

test('values are printed canonically before anything uses them', () => {
  const map = mapOf([
    lease(1, 1, { vtepMac: '02:AB:00:00:00:01', nodeIpv6: 'FD00:1:0::0010', ipv6Subnet: 'fd00:244:0:1:0::/64' }),
  ]);
  assert.equal(map.leases[0]?.vtepMac, '02:ab:00:00:00:01');
  assert.equal(map.leases[0]?.nodeIpv6, 'fd00:1::10');
  assert.equal(map.leases[0]?.ipv6Subnet?.text, 'fd00:244:0:1::/64');
});
