import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openImds } from '../../../agent/identity/imds.ts';
import { type IdentityOptions, readIdentity, refreshIdentity } from '../../../agent/identity/node-identity.ts';
import type { Runner } from '../../../agent/linux/runner.ts';
import { FakeClock } from '../../fakes/reconcile/clock.ts';
import { documentPath, startImds } from '../fakes/imds-server.ts';

const links = [
  { ifindex: 1, ifname: 'lo', flags: ['LOOPBACK', 'UP'], mtu: 65_536, addr_info: [] },
  card(2, 'ens5', '02:aa:00:00:00:05', '10.0.1.10'),
  card(3, 'ens6', '02:aa:00:00:00:06', '10.0.1.11'),
];
const routes = [
  { dst: 'default', gateway: '10.0.1.1', dev: 'ens5', protocol: '16', metric: 100 },
  { dst: '10.0.1.0/24', dev: 'ens5', protocol: '2', scope: '253', prefsrc: '10.0.1.10' },
];
const nothing: IdentityOptions = { interfaces: [], nodeIp: null, nodeIpv6: null, instanceArn: null, eniId: null };

function card(ifindex: number, ifname: string, address: string, local: string) {
  const own = { family: 'inet', local, prefixlen: 24, scope: '0', dynamic: true };
  return { ifindex, ifname, flags: ['BROADCAST', 'UP', 'LOWER_UP'], mtu: 9001, address, addr_info: [own] };
}

const runner: Runner = {
  run: async () => assert.fail('nothing is changed'),
  output: async (argv) => JSON.stringify(argv.includes('address') ? links : argv.includes('-4') ? routes : []),
};

const metadata = (region = 'eu-central-1') => ({
  [documentPath]: JSON.stringify({ instanceId: 'i-0abc', region, accountId: '123456789012', privateIp: '10.0.1.10' }),
  '/latest/meta-data/services/partition': 'aws',
  '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:05/interface-id': 'eni-05',
  '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:05/subnet-id': 'subnet-1',
  '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:05/device-number': '0',
  '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:06/interface-id': 'eni-06',
  '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:06/subnet-id': 'subnet-1',
  '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:06/device-number': '1',
});

test('an instance is known by its full ARN, and its ENI by the MAC of the chosen interface', async (t) => {
  const server = await startImds(t, metadata());
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  const identity = await readIdentity({ imds, runner }, nothing);
  assert.equal(identity.instance.arn, 'arn:aws:ec2:eu-central-1:123456789012:instance/i-0abc');
  assert.deepEqual(identity.eni, { eniId: 'eni-05', subnetId: 'subnet-1', isPrimary: true });
  assert.equal(identity.interface.name, 'ens5');
  assert.deepEqual(identity.interface.ipv4, { address: '10.0.1.10', prefix: 24, onLinkPrefix: 24 });
});

test('B6: another interface than the primary one means its own ENI', async (t) => {
  const server = await startImds(t, metadata());
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  const { eni } = await readIdentity({ imds, runner }, { ...nothing, interfaces: ['ens6'] });
  assert.deepEqual(eni, { eniId: 'eni-06', subnetId: 'subnet-1', isPrimary: false });
});

test('the first device of a second network card is not the primary one', async (t) => {
  const server = await startImds(t, {
    ...metadata(),
    '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:06/device-number': '0',
    '/latest/meta-data/network/interfaces/macs/02:aa:00:00:00:06/network-card': '1',
  });
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  const { eni } = await readIdentity({ imds, runner }, { ...nothing, interfaces: ['ens6'] });
  assert.equal(eni?.isPrimary, false);
});

test('the partition follows the region where the service does not say', async (t) => {
  const server = await startImds(t, metadata('cn-north-1'));
  server.paths.delete('/latest/meta-data/services/partition');
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  const { instance } = await readIdentity({ imds, runner }, nothing);
  assert.equal(instance.arn, 'arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-0abc');
});

test('a machine outside EC2 says who it is, and the metadata service is not asked', async () => {
  const imds = { get: () => assert.fail('the service was asked') };
  const arn = 'arn:aws:ec2:eu-central-1:123456789012:instance/i-0def';
  const identity = await readIdentity({ imds, runner }, { ...nothing, instanceArn: arn, eniId: 'eni-9' });
  assert.equal(identity.instance.instanceId, 'i-0def');
  assert.equal(identity.eni?.eniId, 'eni-9');
  await assert.rejects(
    readIdentity({ imds, runner }, { ...nothing, instanceArn: 'i-0def' }),
    /--instance: is not an ARN/,
  );
});

test('a renewal asks the metadata service only after the card was exchanged', async (t) => {
  const server = await startImds(t, metadata());
  const imds = openImds({ clock: new FakeClock(), endpoints: [server.endpoint] });
  const first = await readIdentity({ imds, runner }, nothing);
  server.reads.length = 0;
  const again = await refreshIdentity({ imds, runner }, nothing, first);
  assert.deepEqual(again, first);
  assert.deepEqual(server.reads, []);

  const moved = await refreshIdentity({ imds, runner }, { ...nothing, interfaces: ['ens6'] }, first);
  assert.equal(moved.eni?.eniId, 'eni-06');
  assert.equal(moved.instance, first.instance);
});
