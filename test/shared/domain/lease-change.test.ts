import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { Lease, LeaseState } from '../../../shared/domain/lease.ts';
import { leaseChange, leaseRemoval } from '../../../shared/domain/lease-change.ts';

const lease: Lease = {
  subnet: parseCidr('10.244.7.0/24', 'subnet'),
  ipv6Subnet: null,
  instanceId: 'i-1',
  eniId: 'eni-1',
  nodeIp: '10.0.1.10',
  nodeIpv6: null,
  subnetId: 'subnet-1',
  segment: 'subnet-1',
  vtepMac: '0a:00:00:00:00:01',
  state: 'active',
  acquiredAt: 1_790_000_000,
  expiresAt: 1_790_086_400,
  version: 5,
};

test('a change of state has its name', () => {
  const cases: [LeaseState | null, LeaseState, string][] = [
    [null, 'active', 'granted'],
    [null, 'reserved', 'granted'],
    ['released', 'active', 'granted'],
    ['expired', 'active', 'granted'],
    ['released', 'reserved', 'granted'],
    ['active', 'leaving', 'leaving'],
    ['withdrawn', 'leaving', 'leaving'],
    ['active', 'withdrawn', 'withdrawn'],
    ['leaving', 'withdrawn', 'withdrawn'],
    ['leaving', 'active', 'restored'],
    ['withdrawn', 'active', 'restored'],
    ['active', 'stale', 'changed'],
    ['stale', 'active', 'changed'],
    ['withdrawn', 'released', 'released'],
    ['active', 'released', 'released'],
    ['active', 'expired', 'expired'],
  ];
  for (const [before, after, name] of cases) {
    const previous = before === null ? null : { ...lease, state: before };
    assert.equal(
      leaseChange('default', previous, { ...lease, state: after, version: 6 })?.change,
      name,
      `${before} to ${after}`,
    );
  }
});

test('each field that packets follow makes an event; a renewal makes none', () => {
  const changed: Partial<Lease>[] = [
    { eniId: 'eni-2' },
    { nodeIp: '10.0.1.11' },
    { nodeIpv6: '2001:db8::1' },
    { subnetId: 'subnet-2' },
    { segment: null },
    { vtepMac: '0a:00:00:00:00:02' },
    { ipv6Subnet: parseCidr('fd00::/64', 'subnet') },
  ];
  for (const fields of changed) {
    const change = leaseChange('default', lease, { ...lease, ...fields, version: 6 });
    assert.equal(change?.change, 'changed', Object.keys(fields).join());
    assert.equal(change?.version, 6);
    assert.equal(change?.previous?.version, 5);
  }
  assert.equal(leaseChange('default', lease, { ...lease, instanceId: 'i-2' })?.change, 'granted');
  assert.equal(leaseChange('default', lease, { ...lease, expiresAt: 1_790_100_000, version: 6 }), null);
});

test('an item that was removed by hand is a release of a held lease and nothing of a tombstone', () => {
  const removal = leaseRemoval('default', lease);
  assert.deepEqual([removal?.change, removal?.version, removal?.lease.state], ['released', 6, 'released']);
  for (const state of ['released', 'expired'] as const)
    assert.equal(leaseRemoval('default', { ...lease, state }), null);
});

test('events fit their public schema', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../../infra/schemas/lease-change.schema.json', import.meta.url), 'utf8'),
  );
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
  for (const change of [
    leaseChange('default', null, lease),
    leaseChange('default', lease, { ...lease, state: 'withdrawn', expiresAt: null }),
    leaseChange('default', null, { ...lease, state: 'reserved', instanceId: null, vtepMac: null, expiresAt: null }),
    leaseRemoval('default', lease),
  ]) {
    assert.ok(validate(JSON.parse(JSON.stringify(change))), JSON.stringify(validate.errors));
  }
});
