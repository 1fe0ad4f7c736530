import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { needsCheckOff, segmentOf } from '../../../shared/domain/segment.ts';
import { vtepMacOf } from '../../../shared/domain/vtep-mac.ts';

const network = { Network: '10.244.0.0/16', SubnetLen: 24 };
const config = (Backend: object) => parseNetworkConfig({ ...network, Backend });
const hostGw = config({ Type: 'host-gw' });
const node = {
  subnetId: 'subnet-1',
  privateIp: '10.0.1.70',
  nodeIp: '10.0.1.70',
  onLinkPrefix: 24,
  checkIsOff: true,
};

test('a segment is the VPC subnet, narrowed by LocalNetworkMask where there is one', () => {
  assert.equal(segmentOf(node, hostGw), 'subnet-1');
  const masked = config({ Type: 'vxlan', DirectRouting: true, LocalNetworkMask: 26 });
  assert.equal(segmentOf(node, masked), 'subnet-1 10.0.1.64/26');
  const below = config({ Type: 'aws-vpc', RouteTableID: 'rtb-a', Fallback: { Type: 'host-gw', LocalNetworkMask: 26 } });
  assert.equal(segmentOf(node, below), 'subnet-1 10.0.1.64/26');
});

test('no segment without a check known to be off, an on-link prefix, or the address that is on the interface', () => {
  for (const fields of [
    { checkIsOff: false },
    { onLinkPrefix: null },
    { onLinkPrefix: 32 },
    { nodeIp: '203.0.113.9' },
    { nodeIp: null, privateIp: null },
  ]) {
    assert.equal(segmentOf({ ...node, ...fields }, hostGw), null, JSON.stringify(fields));
  }
  const ipv6 = { ...node, privateIp: '2001:db8::7', nodeIp: '2001:db8::7' };
  assert.equal(segmentOf({ ...ipv6, onLinkPrefix: 64 }, hostGw), 'subnet-1');
  assert.equal(segmentOf({ ...ipv6, onLinkPrefix: 128 }, hostGw), null);
});

test('only plain vxlan leaves the source/destination check on', () => {
  assert.equal(needsCheckOff(config({ Type: 'vxlan' })), false);
  assert.equal(needsCheckOff(config({ Type: 'vxlan', DirectRouting: true })), true);
  assert.equal(needsCheckOff(hostGw), true);
  assert.equal(needsCheckOff(config({ Type: 'aws-vpc', RouteTableID: 'rtb-a' })), true);
});

test('a VTEP MAC is unicast, locally administered, and one of network and instance', () => {
  const macs = new Set<string>();
  for (let number = 0; number < 2000; number += 1) {
    const mac = vtepMacOf('default', `arn:aws:ec2:eu-west-1:123456789012:instance/i-${number}`);
    assert.match(mac, /^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/);
    macs.add(mac);
  }
  assert.equal(macs.size, 2000);
  assert.equal(vtepMacOf('default', 'arn'), vtepMacOf('default', 'arn'));
  assert.notEqual(vtepMacOf('default', 'arn'), vtepMacOf('other', 'arn'));
});
