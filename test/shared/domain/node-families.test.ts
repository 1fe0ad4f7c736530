import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeRows } from '../../../shared/domain/node-rows.ts';
import { direct, dualConf, dualLease, factsOf, lease, leaseIn, mapOf } from './node-world.ts';

function programmed(map: ReturnType<typeof mapOf>): string[] {
  return nodeRows(map, leaseIn(map, 1), factsOf())
    .peers.filter(({ path }) => path !== null)
    .map(({ subnet, path }) => `${subnet} ${path}`);
}

test('an IPv6 part of a network of IPv4 alone is not looked at, whatever it is', () => {
  const local = 'fd00:1::/64'; // the node's own link
  const map = mapOf([dualLease(1, 1), dualLease(2, 1, { ipv6Subnet: local }), dualLease(3, 2)]);
  assert.deepEqual(programmed(map), ['10.244.2.0/24 host-gw', '10.244.3.0/24 vxlan']);
  assert.deepEqual(nodeRows(map, leaseIn(map, 1), factsOf()).refused, []);
});

test('leases that have no IPv6 part yet are programmed for IPv4', () => {
  const config = { config: dualConf(direct) };
  const peers = [dualLease(2, 1), lease(3, 1)];
  assert.deepEqual(programmed(mapOf([lease(1, 1), ...peers], direct, config)), [
    '10.244.2.0/24 host-gw',
    '10.244.3.0/24 host-gw',
  ]);
  assert.deepEqual(programmed(mapOf([dualLease(1, 1), ...peers], direct, config)), [
    '10.244.2.0/24 host-gw',
    '10.244.3.0/24 host-gw',
    'fd00:244:0:2::/64 host-gw',
  ]);
});
