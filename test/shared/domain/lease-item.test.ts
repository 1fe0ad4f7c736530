import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import {
  configItem,
  holderItem,
  leaseItem,
  parseConfigItem,
  parseHolderItem,
  parseLeaseItem,
} from '../../../shared/domain/lease-item.ts';
import { type HolderRecord, type LeaseRecord, notAdvertised } from '../../../shared/domain/lease-record.ts';

const record: LeaseRecord = {
  subnet: parseCidr('10.244.7.0/24', 'subnet'),
  ipv6Subnet: parseCidr('fd00:244:0:7::/64', 'subnet'),
  instanceId: 'i-1',
  instanceArn: 'arn:aws:ec2:eu-west-1:123456789012:instance/i-1',
  claimId: 'c-1',
  eniId: 'eni-1',
  nodeIp: '10.0.1.10',
  nodeIpv6: '2001:db8::10',
  subnetId: 'subnet-1',
  segment: 'subnet-1',
  vtepMac: '0a:00:00:00:00:01',
  state: 'active',
  acquiredAt: 1_790_000_000,
  expiresAt: 1_790_086_400,
  version: 1_790_000_000_123,
  advertise: notAdvertised,
  onLinkPrefix: 24,
  mtu: 9001,
  releasedAt: null,
  ttl: null,
};

const holder: HolderRecord = {
  instanceId: 'i-1',
  instanceArn: 'arn:aws:ec2:eu-west-1:123456789012:instance/i-1',
  subnet: record.subnet,
  fact: { state: 'running', time: 1_790_000_000 },
  missingSince: null,
  advertise: { ipv4: '203.0.113.9', ipv6: null },
  lost: { subnet: parseCidr('10.244.9.0/24', 'subnet'), at: 1_790_000_000 },
  version: 5,
  ttl: null,
};

test('a lease, a holder and a configuration are read back as they were written', () => {
  const keys = { pk: 'network#default', sk: 'lease#10.244.7.0/24' };
  for (const lease of [record, { ...record, ipv6Subnet: null, ttl: 1_800_000_000, releasedAt: 1_790_000_001 }]) {
    assert.deepEqual(parseLeaseItem(JSON.parse(JSON.stringify({ ...leaseItem(lease), ...keys }))), lease);
  }
  assert.deepEqual(parseHolderItem(JSON.parse(JSON.stringify(holderItem(holder)))), holder);
  assert.deepEqual(parseHolderItem(holderItem({ ...holder, lost: null, ttl: 7 })), { ...holder, lost: null, ttl: 7 });
  const config = { text: '{}', revision: 3, appliedAt: 1_790_000_000 };
  assert.deepEqual(parseConfigItem(configItem(config)), config);
});

test('the time to live is absent, not null, where there is none', () => {
  assert.equal('ttl' in leaseItem(record), false);
  assert.equal('ttl' in holderItem(holder), false);
});

test('G10 an expiry as text, in milliseconds or as a fraction is an error that names the field, never "does not expire"', () => {
  for (const expiresAt of ['2030-01-01T00:00:00Z', '1790086400', 1_790_086_400_000, 1.9e12, 1_790_086_400.5, -1]) {
    assert.throws(() => parseLeaseItem({ ...leaseItem(record), expiresAt }), {
      name: 'InvalidInput',
      field: 'lease.expiresAt',
    });
  }
});

test('a malformed lease item is refused with the field', () => {
  const cases: [string, unknown][] = [
    ['subnet', 'garbage'],
    ['subnet', '10.244.7.1/24'],
    ['ipv6Subnet', '10.244.7.0/24'],
    ['state', 'ACTIVE'],
    ['vtepMac', '0A:00:00:00:00:01'],
    ['nodeIp', '010.0.1.10'],
    ['version', -1],
  ];
  for (const [field, value] of cases) {
    assert.throws(() => parseLeaseItem({ ...leaseItem(record), [field]: value }), { field: `lease.${field}` });
  }
  assert.throws(() => parseLeaseItem({ ...leaseItem(record), instanceId: null }), /has no holder/);
  assert.throws(() => parseLeaseItem(undefined), { name: 'InvalidInput', field: 'lease' });
});
