import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oldAddresses } from '../../../agent/claim/lost-subnet.ts';
import { parseLink } from '../../../agent/identity/host-network.ts';
import { subnet } from './claim-bench.ts';

const links = [
  ['cni0', '10.244.3.1', 24, 'bridge'],
  ['lw-1', '10.244.3.0', 32, 'vxlan'],
  ['eth0', '10.0.1.10', 24, undefined],
  ['docker0', '10.244.4.1', 24, 'bridge'],
].flatMap(([ifname, local, prefixlen, kind], index) => {
  const address = { family: 'inet', local, prefixlen, scope: 'global' };
  return (
    parseLink({ ifindex: index + 1, ifname, flags: ['UP'], linkinfo: { info_kind: kind }, addr_info: [address] }) ?? []
  );
});

test('addresses of the old subnet are found on every interface but our own', () => {
  assert.deepEqual(oldAddresses(links, subnet('10.244.3.0/24')), [
    { dev: 'cni0', isBridge: true, address: '10.244.3.1/24' },
  ]);
});
