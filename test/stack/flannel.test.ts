/** What people have from flannel goes on working: its CNI set-up on our `subnet.env`, and its vxlan device as a peer of ours. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Cluster, directBackend, dualStackNetwork, nodeSpec, tunnelBackend } from '../kernel/lab/cluster.ts';
import { finish, ip, ipBatch, run } from '../kernel/lab/command.ts';
import { untilReady, untilRouted } from '../kernel/lab/converged.ts';
import { Endpoint } from '../kernel/lab/endpoint.ts';
import { kernelTest } from '../kernel/lab/kernel-test.ts';
import { makeNamespace, removeNamespace } from '../kernel/lab/namespaces.ts';
import type { Node } from '../kernel/lab/node.ts';
import { callPlugin, flannelDelegate, pluginsAreThere } from './cni-plugin.ts';

const title = "pods of the CNI plugins, set up from our subnet.env as flannel's plugin does, reach each other";
for (const [how, args] of [
  ['masqueraded by the plugin', []],
  ['masqueraded by the agent', ['--masquerade']],
] as const) {
  if (pluginsAreThere() || process.env['LEASEWAY_MUST_NOT_SKIP'] === '1')
    kernelTest(`${title}, ${how}`, (t) => reachEachOther(t, args), 120);
  else test(`${title}, ${how}`, { skip: "needs Debian's containernetworking-plugins" });
}

/** b is on a's segment, c is not: one way is host-gw, the other vxlan. */
async function reachEachOther(t: TestContext, args: readonly string[]): Promise<void> {
  const version = await finish(['dpkg-query', '--show', 'containernetworking-plugins']);
  t.diagnostic(`ran ${version.stdout.trim().replace('\t', ' ')}, ${(await run(['ip', '-V'])).trim()}`);
  const specs = ['a', 'b', 'c'].map((name) => nodeSpec(name, { pod: false }));
  const cluster = await Cluster.open(t, { backend: directBackend, network: dualStackNetwork }, specs);
  for (const node of cluster.nodes) node.start(args);
  for (const node of cluster.nodes) await untilReady(node);
  await untilRouted(cluster.nodes, 2);
  const pods = [];
  for (const node of cluster.nodes) pods.push(await addPod(t, node));
  for (const from of pods) {
    for (const to of pods.filter((each) => each !== from)) {
      for (const address of to.addresses) {
        const way = `${from.node.spec.name} to ${address}`;
        assert.ok(await from.endpoint.reaches(address), `${way}\n${from.node.agent.log}`);
        assert.ok(await from.endpoint.reaches(address, { bytes: 8_000 }), `${way}, 8,000 bytes`);
        const seen = await from.endpoint.echo(address);
        const isOwn = seen.outcome === 'answered' && from.addresses.includes(seen.seenFrom);
        // Left to the plugin, masquerading hides pods from those of other nodes, with flannel as with us.
        if (args.includes('--masquerade')) assert.ok(isOwn, `${way}: ${JSON.stringify(seen)}`);
      }
    }
  }
  for (const { call } of pods) {
    await callPlugin({ command: 'DEL', ...call });
    await callPlugin({ command: 'DEL', ...call });
  }
}

/** A pod as a container runtime makes it, in a namespace of its own. */
async function addPod(t: TestContext, node: Node) {
  const pod = await makeNamespace(`${node.spec.name}-cni`);
  t.after(() => removeNamespace(pod));
  await ip(pod, 'link set lo up');
  const config = flannelDelegate(node.subnetEnv, join(node.folder, 'ipam'));
  const call = { node: node.namespace, pod, config };
  const { ips } = await callPlugin({ command: 'ADD', ...call });
  assert.deepEqual(
    ips.map(({ address }) => address),
    [node.spec.lease.replace('.0/', '.2/'), (node.spec.ipv6Lease ?? '').replace('::/', '::2/')],
  );
  assert.match(await ip(pod, 'link show eth0'), / mtu 8931 /);
  const endpoint = await Endpoint.start(pod);
  t.after(() => endpoint.close());
  return { node, endpoint, call, addresses: ips.map(({ address }) => address.split('/')[0] ?? '') };
}

kernelTest(
  "flannel's vxlan device, set up by hand, is a peer like any other",
  async (t) => {
    t.diagnostic(`ran ${(await run(['ip', '-V'])).trim()}, kernel ${(await run(['uname', '-r'])).trim()}`);
    const specs = ['a', 'c'].map((name) => nodeSpec(name, { ipv6: undefined, ipv6Lease: undefined }));
    const cluster = await Cluster.open(t, { backend: tunnelBackend }, specs);
    const [ours, theirs] = [cluster.node('a'), cluster.node('c')];
    const device = `link add flannel.1 address ${theirs.spec.vtepMac} mtu 8951 type vxlan id 1 dev eth0`;
    // As flanneld does it: no learning, the device's address is the subnet's base; a row, a neighbour and an entry a peer.
    await ipBatch(theirs.namespace, [
      `${device} local ${theirs.nodeIp} dstport 8472 nolearning`,
      'address add 10.244.3.0/32 dev flannel.1',
      'link set flannel.1 up',
      `neighbour replace 10.244.1.0 lladdr ${ours.spec.vtepMac} dev flannel.1 nud permanent`,
      'route replace 10.244.1.0/24 via 10.244.1.0 dev flannel.1 onlink',
    ]);
    const entry = [ours.spec.vtepMac, 'dev', 'flannel.1', 'dst', ours.nodeIp];
    await run(['bridge', '-n', theirs.namespace, 'fdb', 'append', ...entry]);
    ours.start();
    await untilReady(ours);
    await untilRouted([ours], 1);
    for (const [from, to] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      assert.ok(await from.pod.reaches(to.podIp), `${from.spec.name} to ${to.spec.name}\n${ours.agent.log}`);
      assert.ok(await from.pod.reaches(to.podIp, { bytes: 8_000 }), 'with a large packet');
    }
    // The packets went through the tunnel and not past it: without the entry nothing arrives.
    await run(['bridge', '-n', theirs.namespace, 'fdb', 'del', ...entry]);
    assert.ok(!(await theirs.pod.reaches(ours.podIp, { withinMs: 500 })));
  },
  120,
);
