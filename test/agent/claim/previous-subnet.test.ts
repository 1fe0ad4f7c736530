import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaseMemory, type RememberedLease } from '../../../agent/claim/lease-memory.ts';
import { previousSubnet, subnetOfEnv } from '../../../agent/claim/previous-subnet.ts';
import { arn, subnet } from './claim-bench.ts';

const remembered: RememberedLease = {
  instanceArn: arn,
  subnet: subnet('10.244.3.0/24'),
  ipv6Subnet: subnet('fd00:244:0:3::/64'),
  expiresAt: 1_790_000_000,
  bootId: 'boot-1',
  lost: [subnet('10.244.2.0/24')],
};
const env = 'FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.5.1/24\nFLANNEL_MTU=8951\n';

test('the state directory comes before subnet.env', () => {
  assert.equal(previousSubnet(remembered, arn, env)?.text, '10.244.3.0/24');
  assert.equal(previousSubnet(null, arn, env)?.text, '10.244.5.0/24');
  assert.equal(previousSubnet(null, arn, null), null);
});

test('Q4: the memory of another instance, of an image, is no wish', () => {
  assert.equal(previousSubnet(remembered, `${arn}2`, null), null);
});

for (const [text, expected] of [
  ['FLANNEL_SUBNET=10.244.5.1/24', '10.244.5.0/24'],
  ['FLANNEL_IPV6_SUBNET=fd00:1::1/64\r\n', 'fd00:1::/64'],
  ['FLANNEL_SUBNET=10.244.5.1/24\nFLANNEL_SUBNET=10.244.6.1/24', null],
  ['FLANNEL_SUBNET=10.244.1.0/24,not-a-cidr,10.244.2.0/24', null],
  ['FLANNEL_SUBNET=', null],
  ['', null],
] as const) {
  test(`subnet.env ${JSON.stringify(text)} says ${expected}`, () => {
    assert.equal(subnetOfEnv(text)?.text ?? null, expected);
  });
}

test('what is remembered is read again as it was; damage is named', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'leaseway-'));
  t.after(() => rm(stateDir, { recursive: true }));
  const memory = leaseMemory(stateDir);
  assert.equal(await memory.read(), null);
  await memory.write(remembered);
  assert.deepEqual(await memory.read(), remembered);
  await writeFile(join(stateDir, 'lease.json'), '{"instanceArn": "arn');
  await assert.rejects(memory.read(), /lease\.json/);
});
