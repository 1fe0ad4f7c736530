import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { Lease } from '../../../shared/domain/lease.ts';
import { lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

const overlay = { Fallback: { Type: 'vxlan', VNI: 1, DirectRouting: true } };
const ipv6 = { EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };
const retired = { Retired: [{ Network: 'fd00:244::/48', SubnetLen: 64 }] };
const dual = (n: number): Lease => lease(n, { ipv6Subnet: parseCidr(`fd00:244:0:${n}::/64`, 'ipv6Subnet') });

function destinations(world: SyncWorld): string[][] {
  return tableIds.map((id) =>
    world.tables
      .table(id)
      .routes.slice(1)
      .map(({ destinationText }) => destinationText),
  );
}

function mapLeases(world: SyncWorld): unknown[] {
  return (world.maps.current?.leases ?? []).map((each) => [each.subnet, each.ipv6Subnet, each.ipv6RoutedIn]);
}

for (const [backend, fallback] of [
  ['aws-vpc', {}],
  ['aws-vpc with a fallback', overlay],
] as const) {
  describe(`${backend}, while no lease was renewed yet`, () => {
    it('IPv6 switched off: its rows and its part of the map go, IPv4 stays', async () => {
      const world = new SyncWorld({ ...netConf({}, fallback), ...ipv6 });
      await world.settle(dual(1), dual(2));
      world.leases.configure(netConf(retired, fallback));
      await world.sync();
      assert.deepEqual(destinations(world), Array(3).fill(['10.244.1.0/24', '10.244.2.0/24']));
      assert.deepEqual(
        world.writes().filter((write) => !write.startsWith('DeleteRoute')),
        [],
      );
      assert.deepEqual(mapLeases(world), [
        ['10.244.1.0/24', null, []],
        ['10.244.2.0/24', null, []],
      ]);
      world.forget();
      world.clock.advance(60_000);
      await world.sync();
      assert.deepEqual(world.writes(), []);
    });

    it('IPv6 switched off: new leases are routed beside those that were not renewed', async () => {
      const world = new SyncWorld({ ...netConf({}, fallback), ...ipv6 });
      await world.settle(dual(1));
      world.leases.configure(netConf(retired, fallback));
      await world.settle(lease(2));
      assert.deepEqual(destinations(world), Array(3).fill(['10.244.1.0/24', '10.244.2.0/24']));
    });

    it('IPv6 switched on: IPv4 goes on, and IPv6 comes lease by lease', async () => {
      const world = new SyncWorld(netConf({}, fallback));
      await world.settle(lease(1), lease(2));
      world.leases.configure({ ...netConf({}, fallback), ...ipv6 });
      await world.settle(dual(2));
      assert.deepEqual(destinations(world), Array(3).fill(['10.244.1.0/24', '10.244.2.0/24', 'fd00:244:0:2::/64']));
      assert.deepEqual(mapLeases(world), [
        ['10.244.1.0/24', null, []],
        ['10.244.2.0/24', 'fd00:244:0:2::/64', [...tableIds]],
      ]);
    });
  });
}

it('a lease that vanished keeps its place in the map, without the family that the network has no more', async () => {
  const world = new SyncWorld({ ...netConf({}, overlay), ...ipv6 });
  await world.settle(dual(1), dual(2), dual(3));
  world.leases.configure(netConf(retired, overlay));
  world.leases.drop('10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24');
  await world.sync();
  assert.deepEqual(
    mapLeases(world),
    [1, 2, 3].map((n) => [`10.244.${n}.0/24`, null, []]),
  );
});
