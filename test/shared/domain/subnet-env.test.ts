import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkLocalOf } from '../../../shared/domain/link-local.ts';
import { subnetEnv } from '../../../shared/domain/subnet-env.ts';
import { direct, dualConf, dualLease, leaseIn, mapOf } from './node-world.ts';

test("flannel's keys and values: the subnet is the bridge's address", () => {
  const map = mapOf([dualLease(1, 1)], direct, { config: dualConf(direct) });
  assert.equal(
    subnetEnv(map.config, leaseIn(map, 1), 8931, true),
    'FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\n' +
      'FLANNEL_IPV6_NETWORK=fd00:244::/48\nFLANNEL_IPV6_SUBNET=fd00:244:0:1::1/64\n' +
      'FLANNEL_MTU=8931\nFLANNEL_IPMASQ=true\n',
  );
});

test('without IPv6 there are no keys of it', () => {
  const map = mapOf([dualLease(1, 1)]);
  assert.equal(
    subnetEnv(map.config, leaseIn(map, 1), 1450, false),
    'FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=false\n',
  );
});

test('the link-local address of a MAC is its modified EUI-64', () => {
  // The example of RFC 4291, appendix A, as an address.
  assert.equal(linkLocalOf('34:56:78:9a:bc:de'), 'fe80::3656:78ff:fe9a:bcde');
  assert.equal(linkLocalOf('02:00:00:00:00:03'), 'fe80::ff:fe00:3');
});
