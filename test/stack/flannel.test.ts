/** What people have from flannel goes on working: its CNI plugin on our `subnet.env`, and its vxlan devices as peers of ours. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { atEnd } from '../kernel/lab/at-end.ts';
import {
  Cluster,
  directBackend,
  dualStackNetwork,
  ipv4Network,
  nodeSpec,
  tunnelBackend,
} from '../kernel/lab/cluster.ts';
import { ip, run } from '../kernel/lab/command.ts';
import { untilPath, untilReady, untilRouted } from '../kernel/lab/converged.ts';
import { Endpoint } from '../kernel/lab/endpoint.ts';
import { kernelTest } from '../kernel/lab/kernel-test.ts';
import type { Node } from '../kernel/lab/node.ts';
import { missingPlugin, pluginVersions } from './cni-plugin.ts';
import { type Family, forgetPeer, makeFlannelDevice } from './flannel-device.ts';
import {
  addFlannelPod,
  delegateOf,
  type FlannelPod,
  ipamDir,
  noTraces,
  removeFlannelPod,
  tracesOf,
} from './flannel-pod.ts';

interface Case {
  readonly families: 'IPv4' | 'dual stack';
  readonly masquerade: 'plugin' | 'agent';
  /** Of an uplink of 9001, less the tunnel's overhead: 50, or 70 over IPv6. */
  readonly mtu: number;
}

const cases: readonly Case[] = [
  { families: 'IPv4', masquerade: 'plugin', mtu: 8951 },
  { families: 'dual stack', masquerade: 'plugin', mtu: 8931 },
  { families: 'dual stack', masquerade: 'agent', mtu: 8931 },
];
for (const each of cases) {
  const name = `pods that flannel's plugin sets up from our subnet.env reach each other, ${each.families}`;
  const body = (t: TestContext) => reachEachOther(t, each);
  kernelTest(`${name}, masqueraded by the ${each.masquerade}`, body, 120, missingPlugin());
}

/** b is on a's segment, c is not: one way is host-gw, the other vxlan. */
async function reachEachOther(t: TestContext, each: Case): Promise<void> {
  const { families, masquerade } = each;
  t.diagnostic(`ran ${await pluginVersions()}, ${await versions()}`);
  const one = families === 'IPv4' ? { ipv6: undefined, ipv6Lease: undefined } : {};
  const specs = ['a', 'b', 'c'].map((name) => nodeSpec(name, { pod: false, ...one }));
  const network = families === 'IPv4' ? ipv4Network : dualStackNetwork;
  const cluster = await Cluster.open(t, { backend: directBackend, network }, specs);
  for (const node of cluster.nodes) node.start(masquerade === 'agent' ? ['--masquerade'] : []);
  for (const node of cluster.nodes) await untilReady(node);
  await untilRouted(cluster.nodes, 2);
  await untilPath(cluster.node('a'), cluster.node('b').spec.lease, 'eth0');
  await untilPath(cluster.node('a'), cluster.node('c').spec.lease, 'lw-1');
  const pods: FlannelPod[] = [];
  for (const node of cluster.nodes) pods.push(await addFlannelPod(t, node));

  for (const pod of pods) await assertSetUp(pod, each);
  for (const from of pods) {
    for (const to of pods.filter((each) => each !== from)) {
      for (const address of to.addresses) {
        const way = `${from.node.spec.name} to ${address}`;
        assert.ok(await from.endpoint.reaches(address), `${way}\n${from.node.agent.log}`);
        assert.ok(await from.endpoint.reaches(address, { bytes: 8_000 }), `${way}, 8,000 bytes`);
        // Left to the plugin, masquerading hides pods from those of other nodes, with flannel as with us.
        const seen = await from.endpoint.echo(address, { timeoutMs: 5_000 });
        assert.ok(seen.outcome === 'answered', way);
        assert.equal(from.addresses.includes(seen.seenFrom), masquerade === 'agent', `${way}: ${seen.seenFrom}`);
      }
    }
  }
  await worldSeesNodes(t, pods, cluster.node('c'));

  for (const pod of pods) {
    await removeFlannelPod(pod);
    assert.deepEqual(await tracesOf(pod), noTraces);
    await removeFlannelPod(pod);
  }
}

/** As subnet.env says, and, of what is not said there, as flannel's manifest does. */
async function assertSetUp(pod: FlannelPod, { families, masquerade, mtu }: Case): Promise<void> {
  const { spec, subnetEnv, podIp, podIpv6 } = pod.node;
  const ipv4 = { subnet: spec.lease, network: '10.244.0.0/16', address: `${podIp}/24` };
  const ipv6 = { subnet: spec.ipv6Lease, network: 'fd00:244::/48', address: `${podIpv6}/64` };
  const both = families === 'IPv4' ? [ipv4] : [ipv4, ipv6];
  assert.deepEqual(delegateOf(pod), {
    cniVersion: '0.3.1',
    name: 'cbr0',
    type: 'bridge',
    mtu,
    ipMasq: masquerade === 'plugin',
    isGateway: true,
    isDefaultGateway: true,
    hairpinMode: true,
    ipam: {
      type: 'host-local',
      dataDir: ipamDir(pod.node),
      ranges: both.map(({ subnet }) => [{ subnet }]),
      routes: both.map(({ network }) => ({ dst: network })),
    },
  });
  assert.deepEqual(
    pod.ips.map(({ address }) => address),
    both.map(({ address }) => address),
  );
  assert.deepEqual(
    pod.ips.map(({ gateway }) => gateway),
    [...subnetEnv.matchAll(/_SUBNET=(.*)\//g)].map(([, address]) => address),
  );
  assert.match(await ip(pod.namespace, 'link show eth0'), new RegExp(` mtu ${mtu} `));
  const { links, ports, kept, reserved, masquerade: rules } = await tracesOf(pod);
  assert.deepEqual([links, ports.length, kept, reserved], [['eth0'], 1, [pod.namespace], pod.addresses]);
  assert.equal(rules.length > 0, masquerade === 'plugin', rules.join('\n'));
}

/** A node's own addresses are outside of the network: whoever answers there sees no pod. */
async function worldSeesNodes(t: TestContext, pods: readonly FlannelPod[], outside: Node): Promise<void> {
  const world = await Endpoint.start(outside.namespace);
  atEnd(t, () => world.close());
  for (const address of addressesOf(outside)) {
    await world.listen(address);
    for (const { endpoint, node } of pods.filter((pod) => pod.node !== outside)) {
      assert.ok(await endpoint.reaches(address), `${node.spec.name} to ${address}`);
      const seen = await endpoint.echo(address, { timeoutMs: 5_000 });
      assert.ok(seen.outcome === 'answered', `${node.spec.name} to ${address}: ${seen.outcome}`);
      assert.ok(addressesOf(node).includes(seen.seenFrom), `${node.spec.name} to ${address}: ${seen.seenFrom}`);
    }
  }
}

const addressesOf = ({ nodeIp, spec }: Node) =>
  spec.ipv6 === undefined ? [nodeIp] : [nodeIp, spec.ipv6.replace(/\/.*/, '')];

const families: readonly Family[] = ['IPv4', 'IPv6'];
const podOf = (node: Node, family: Family) => (family === 'IPv4' ? node.podIp : node.podIpv6);

kernelTest(
  "flannel's vxlan devices of both families, set up by hand, are peers like any other",
  async (t) => {
    t.diagnostic(`ran ${await versions()}`);
    const [ours, theirs] = await oursAndTheirs(t);
    for (const family of families) await makeFlannelDevice(theirs, ours, family, theirs.spec.vtepMac);
    for (const family of families) {
      for (const [from, to] of [
        [ours, theirs],
        [theirs, ours],
      ] as const) {
        const way = `${from.spec.name} to ${podOf(to, family)}`;
        assert.ok(await from.pod.reaches(podOf(to, family)), `${way}\n${ours.agent.log}`);
        assert.ok(await from.pod.reaches(podOf(to, family), { bytes: 8_000 }), `${way}, 8,000 bytes`);
      }
    }
    // The packets went through the tunnels and not past them: without its entry each is shut.
    for (const family of families) {
      await forgetPeer(theirs, ours, family);
      assert.ok(!(await theirs.pod.reaches(podOf(ours, family), { withinMs: 500 })), family);
    }
  },
  120,
);

kernelTest(
  "only the MAC that the map has is reached, and flanneld draws one for each family's device",
  async (t) => {
    t.diagnostic(`ran ${await versions()}`);
    const [ours, theirs] = await oursAndTheirs(t);
    await makeFlannelDevice(theirs, ours, 'IPv4', theirs.spec.vtepMac);
    await makeFlannelDevice(theirs, ours, 'IPv6', '02:00:00:00:00:c6');
    assert.ok(await ours.pod.reaches(theirs.podIp), ours.agent.log);
    assert.ok(!(await ours.pod.reaches(theirs.podIpv6, { withinMs: 500 })));
    await theirs.ip('link del flannel-v6.1');
    await makeFlannelDevice(theirs, ours, 'IPv6', theirs.spec.vtepMac);
    assert.ok(await ours.pod.reaches(theirs.podIpv6), ours.agent.log);
  },
  120,
);

/** Two nodes of a dual-stack network; only a has our agent, which knows c by the map, and has a tunnel to it. */
async function oursAndTheirs(t: TestContext): Promise<readonly [Node, Node]> {
  const spec = { backend: tunnelBackend, network: dualStackNetwork };
  const cluster = await Cluster.open(t, spec, [nodeSpec('a'), nodeSpec('c')]);
  const [ours, theirs] = [cluster.node('a'), cluster.node('c')];
  ours.start();
  await untilReady(ours);
  await untilRouted([ours], 1);
  await untilPath(ours, theirs.spec.ipv6Lease ?? '', 'lw6-1');
  return [ours, theirs];
}

const versions = async () => `${(await run(['ip', '-V'])).trim()}, kernel ${(await run(['uname', '-r'])).trim()}`;
