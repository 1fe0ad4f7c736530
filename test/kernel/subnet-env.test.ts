/** What the flannel CNI plugin reads. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { Cluster, directBackend, dualStackNetwork, hybridBackend, nodeSpec } from './lab/cluster.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { mapPeer } from './lab/map-peer.ts';

const keysOf = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );

kernelTest("subnet.env has flannel's keys and values, of both families, readable by all", async (t) => {
  const spec = { backend: directBackend, network: dualStackNetwork };
  const cluster = await Cluster.open(t, spec, [nodeSpec('a', { pod: false })]);
  const node = cluster.node('a');
  const { status, stderr } = await node.once();
  assert.equal(status, 0, stderr);
  assert.deepEqual(keysOf(node.subnetEnv), {
    FLANNEL_NETWORK: '10.244.0.0/16',
    FLANNEL_SUBNET: '10.244.1.1/24',
    FLANNEL_IPV6_NETWORK: 'fd00:244::/48',
    FLANNEL_IPV6_SUBNET: 'fd00:244:0:1::1/64',
    FLANNEL_MTU: '8931',
    FLANNEL_IPMASQ: 'false',
  });
  assert.equal(statSync(node.subnetEnvPath).mode & 0o777, 0o644);
});

kernelTest('the MTU is that of the smallest path which the configuration can choose', async (t) => {
  const ipv4Only = nodeSpec('a', { pod: false, ipv6: undefined, ipv6Lease: undefined });
  const cases = [
    [{ Type: 'host-gw' }, 9001],
    [{ Type: 'aws-vpc', RouteTableID: 'rtb-1' }, 9001],
    [directBackend, 8951],
    [hybridBackend, 8951],
    [{ ...directBackend, MTU: 1500 }, 1450],
  ] as const;
  const cluster = await Cluster.open(t, { backend: directBackend }, [ipv4Only]);
  const node = cluster.node('a');
  for (const [backend, mtu] of cases) {
    cluster.publish((map) => {
      map.config['Backend'] = backend;
    });
    const { status, stderr } = await node.once();
    assert.equal(status, 0, stderr);
    assert.equal(keysOf(node.subnetEnv)['FLANNEL_MTU'], String(mtu), JSON.stringify(backend));
  }
  await node.ip('link set eth0 mtu 1500');
  cluster.publish((map) => {
    map.config['Backend'] = directBackend;
  });
  assert.equal((await node.once()).status, 0);
  assert.equal(keysOf(node.subnetEnv)['FLANNEL_MTU'], '1450');
});

kernelTest('masquerade by the agent is announced, so that the plugin leaves it alone', async (t) => {
  const cluster = await Cluster.open(t, { backend: directBackend }, [nodeSpec('a', { pod: false })]);
  const node = cluster.node('a');
  assert.equal((await node.once(['--masquerade'])).status, 0);
  assert.equal(keysOf(node.subnetEnv)['FLANNEL_IPMASQ'], 'true');
});

kernelTest('a bad peer does not hold subnet.env back', async (t) => {
  const cluster = await Cluster.open(t, { backend: directBackend }, [nodeSpec('a', { pod: false })]);
  const node = cluster.node('a');
  cluster.publish((map) => map.leases.push(mapPeer(2, { nodeIp: '10.244.7.7' }), mapPeer(3)));
  assert.equal((await node.once()).status, 2);
  assert.equal(keysOf(node.subnetEnv)['FLANNEL_SUBNET'], '10.244.1.1/24');
});
