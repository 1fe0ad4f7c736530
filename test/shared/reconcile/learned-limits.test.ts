import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { foreignRow } from '../../fakes/reconcile/route-tables.ts';
import { lease, netConf, SyncWorld } from './sync-world.ts';

const dualStack = { EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };
const dual = (n: number) => lease(n, { ipv6Subnet: parseCidr(`fd00:244:0:${n.toString(16)}::/64`, 'ipv6Subnet') });

test('a limit that one family met is no limit of the other', async () => {
  const world = new SyncWorld({ ...netConf(), ...dualStack });
  await world.settle(dual(1), dual(2));
  // A prefix list counts by its entries: EC2 is full of IPv4 rows long before the rows that can be seen say so.
  world.tables.plant('rtb-1', foreignRow('192.168.0.0/24', 'pcx-1'));
  world.tables.limits.set('rtb-1', 3);
  world.tables.interfaces('attached', 'eni-3', 'eni-4');
  world.leases.put(dual(3));
  await world.sync();
  world.tables.limits.delete('rtb-1');
  world.leases.put(dual(4));
  world.clock.advance(120_000);
  await world.sync();
  const rows = world.tables.text('rtb-1');
  assert.ok(!rows.some((row) => row.startsWith('10.244.3.0/24')), 'the learned limit holds for IPv4');
  for (const n of [1, 2, 3, 4]) assert.ok(rows.includes(`fd00:244:0:${n}::/64 -> eni-${n} active`), rows.join('\n'));
});

test('a learned limit that the table disproves takes no route of a live lease', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.tables.limits.set('rtb-1', 2);
  world.tables.interfaces('attached', 'eni-3');
  world.leases.put(lease(3));
  await world.sync();
  // The quota was raised, and somebody else was the first to use it.
  world.tables.limits.set('rtb-1', 500);
  world.tables.plant('rtb-1', foreignRow('192.168.0.0/24', 'pcx-1'), foreignRow('192.168.1.0/24', 'pcx-1'));
  world.forget();
  for (let n = 0; n < 5; n += 1) {
    world.clock.advance(60_000);
    await world.sync();
  }
  assert.deepEqual(
    world.writes().filter((write) => write.startsWith('DeleteRoute')),
    [],
  );
});
