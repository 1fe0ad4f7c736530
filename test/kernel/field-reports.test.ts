/** What went wrong for others (groups I to M of the field reports) and has no other test here, each by its name. */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { agentCommand } from './lab/agent-process.ts';
import { Cluster, directBackend, dualStackNetwork, nodeSpec, tunnelBackend } from './lab/cluster.ts';
import { finish, ipBatch, nodeEnv, setSysctls } from './lab/command.ts';
import { ourFdb, ourRoutes } from './lab/kernel-state.ts';
import { kernelTest } from './lab/kernel-test.ts';
import { writeMap } from './lab/map-file.ts';
import { mapPeer } from './lab/map-peer.ts';
import { Monitor } from './lab/monitor.ts';
import type { Node, NodeSpec } from './lab/node.ts';
import { pause } from './lab/until.ts';

const ipv4 = (name: string, change: Partial<NodeSpec> = {}) =>
  nodeSpec(name, { pod: false, ipv6: undefined, ipv6Lease: undefined, ...change });

async function alone(
  t: TestContext,
  peers: readonly number[],
  { backend = directBackend, spec = {} }: { backend?: Record<string, unknown>; spec?: Partial<NodeSpec> } = {},
): Promise<{ cluster: Cluster; node: Node }> {
  const cluster = await Cluster.open(t, { backend }, [ipv4('a', spec)]);
  cluster.publish((map) => map.leases.push(...peers.map((number) => mapPeer(number))));
  return { cluster, node: cluster.node('a') };
}

async function programmed(node: Node, extra: readonly string[] = []): Promise<readonly string[]> {
  const { status, stderr } = await node.once(extra);
  assert.equal(status, 0, stderr);
  return (await ourRoutes(node.namespace)).filter((row) => row.includes(' via '));
}

const poke = (node: Node) => async () => {
  await node.ip('route add 203.0.113.0/24 dev eth0');
  await node.ip('route del 203.0.113.0/24');
};

kernelTest('I10: rows of other types and of other tables are not taken for stale ones', async (t) => {
  const { node } = await alone(t, [2, 3]);
  const rows = [
    'local 10.244.99.9 dev lo table main proto kernel scope host',
    'broadcast 10.244.99.255 dev eth0 table main proto kernel scope link',
    'multicast 239.1.0.0/16 dev eth0 table main',
    '10.244.98.0/24 via 10.0.1.98 dev eth0 table 98 proto 76 metric 2076',
    'prohibit 10.244.97.0/24 proto static',
  ];
  await ipBatch(
    node.namespace,
    rows.map((row) => `route add ${row}`),
  );
  await programmed(node);
  const all = await node.ip('route show table all');
  for (const destination of [
    'local 10.244.99.9',
    'broadcast 10.244.99.255',
    'multicast 239.1',
    '10.244.98.0/24',
    'prohibit 10.244.97',
  ]) {
    assert.ok(all.includes(destination), destination);
  }
});

kernelTest('I13: onlink is for the tunnel alone, so a next hop that is not there shows', async (t) => {
  const { cluster, node } = await alone(t, [3]);
  // Said to be a neighbour, and on no link of ours.
  cluster.publish((map) => map.leases.push(mapPeer(9, { nodeIp: '203.0.113.9', segment: 'subnet-1' })));
  const { status, stderr } = await node.once();
  assert.equal(status, 2);
  assert.match(stderr, /10\.244\.9\.0\/24/);
  const routes = await ourRoutes(node.namespace);
  assert.deepEqual(
    routes.filter((row) => row.includes('onlink') && !row.includes('lw-1')),
    [],
  );
  assert.ok(!routes.some((row) => row.includes('203.0.113.9')));
});

kernelTest('J1: the first that is heard of the device is its final MAC', async (t) => {
  const { node } = await alone(t, [2]);
  const monitor = await Monitor.start(node.namespace, poke(node));
  try {
    await programmed(node);
    await pause(200);
    const lines = monitor.text.split('\n');
    const macs = lines.flatMap((line, index) =>
      /^\d+: lw-1:/.test(line) ? [/link\/ether (\S+)/.exec(lines[index + 1] ?? '')?.[1]] : [],
    );
    assert.ok(macs.length > 0, monitor.text);
    assert.deepEqual([...new Set(macs)], ['02:00:00:00:00:01']);
  } finally {
    await monitor.stop();
  }
});

kernelTest('J14: with a second interface chosen, the tunnel has its address and its link', async (t) => {
  const { cluster, node } = await alone(t, [2]);
  await cluster.vpc.attach({
    ...{ id: 'eni-a2', subnetId: 'subnet-1', address: '10.0.1.200', namespace: node.namespace, link: 'eth1' },
  });
  await ipBatch(node.namespace, ['address add 10.0.1.200/24 dev eth1 noprefixroute']);
  cluster.publish(() => {
    cluster.lease('a').nodeIp = '10.0.1.200';
  });
  await programmed(node, ['--interface', 'eth1']);
  const device = await node.ip('-d -o link show lw-1');
  assert.match(device, / local 10\.0\.1\.200 dev eth1 /);
});

kernelTest('J15: the port is what the configuration says', async (t) => {
  const { node } = await alone(t, [2], { backend: { ...directBackend, Port: 4789, VNI: 42 } });
  await programmed(node);
  assert.match(await node.ip('-d -o link show lw-42'), / id 42 .* dstport 4789 /);
});

kernelTest('K5: a lease that is stale is programmed on, without one change', async (t) => {
  const { cluster, node } = await alone(t, [2, 3]);
  await programmed(node);
  const monitor = await Monitor.start(node.namespace, poke(node));
  try {
    for (const state of ['stale', 'active', 'leaving']) {
      cluster.publish((map) => {
        for (const lease of map.leases) lease.state = state;
      });
      assert.equal((await programmed(node)).length, 2);
    }
    assert.deepEqual(monitor.changes, []);
  } finally {
    await monitor.stop();
  }
});

kernelTest('K6: the first packet arrives, by tunnel and by neighbour', async (t) => {
  const cluster = await Cluster.open(
    t,
    { backend: directBackend },
    ['a', 'b', 'c'].map((name) => ipv4(name, { pod: true })),
  );
  for (const node of cluster.nodes) await programmed(node);
  const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')];
  assert.equal((await a.pod.echo(c.podIp, { timeoutMs: 2000 })).outcome, 'answered');
  assert.equal((await a.pod.echo(b.podIp, { timeoutMs: 2000 })).outcome, 'answered');
});

kernelTest('L5: no bridge netfilter is needed', async (t) => {
  const cluster = await Cluster.open(
    t,
    { backend: directBackend },
    ['a', 'c'].map((name) => ipv4(name, { pod: true })),
  );
  for (const node of cluster.nodes) {
    await setSysctls(node.namespace, { 'net/bridge/bridge-nf-call-iptables': 0 }).catch(() => undefined); // Absent is the case, too.
    await programmed(node, ['--masquerade']);
  }
  const [a, c] = [cluster.node('a'), cluster.node('c')];
  assert.deepEqual(await a.pod.echo(c.podIp), { outcome: 'answered', seenFrom: a.podIp });
});

kernelTest('L8: a kernel without vxlan is named in one line, and what needs no tunnel is programmed', async (t) => {
  const { node } = await alone(t, [2, 3]);
  const tools = join(node.folder, 'tools');
  await finish(['mkdir', '-p', tools]);
  const script =
    '#!/bin/sh\ncase "$*" in *"link add"*"type vxlan"*) echo "Error: Unknown device type." >&2; exit 2;; esac\n';
  writeFileSync(join(tools, 'ip'), `${script}PATH=\${PATH#*:} exec ip "$@"\n`);
  chmodSync(join(tools, 'ip'), 0o755);
  // `ip netns exec` itself must be the real one.
  const [file = '', ...rest] = agentCommand(node.namespace, node.runArgs(['--once']));
  const inner = rest.slice(0, 3);
  const argv = [file, ...inner, 'env', `PATH=${tools}:${process.env['PATH']}`, ...rest.slice(3)];
  const { status, stderr } = await finish(argv, '', nodeEnv);
  assert.match(stderr, /vxlan/);
  assert.notEqual(status, 0);
  const routes = (await ourRoutes(node.namespace)).filter((row) => row.includes(' via '));
  assert.deepEqual(routes, ['10.244.3.0/24 via 10.0.1.103 dev eth0 proto 76 src 10.0.1.10 metric 2076']);
});

kernelTest('M5: a node whose address has no on-link prefix reaches all peers by tunnel', async (t) => {
  const cluster = await Cluster.open(t, { backend: directBackend }, [ipv4('a')]);
  const node = cluster.node('a');
  await ipBatch(node.namespace, [
    'address flush dev eth0',
    'address add 10.0.1.10/32 dev eth0',
    'route add 10.0.1.1 dev eth0 scope link',
    'route add 10.0.0.0/16 via 10.0.1.1 dev eth0',
    'route add default via 10.0.1.1 dev eth0',
  ]);
  cluster.publish((map) => {
    map.leases.push(mapPeer(2), mapPeer(3));
    for (const lease of map.leases) delete lease.segment;
  });
  const routes = await programmed(node);
  assert.deepEqual(
    routes.map((row) => / dev (\S+)/.exec(row)?.[1]),
    ['lw-1', 'lw-1'],
  );
});

kernelTest('M6: a wide scope-link route makes nobody a neighbour', async (t) => {
  const { cluster, node } = await alone(t, []);
  await node.ip('route add 10.99.0.0/16 dev eth0 scope link');
  cluster.publish((map) => {
    const { segment: _none, ...unsaid } = mapPeer(2, { nodeIp: '10.99.1.1' });
    map.leases.push(mapPeer(4, { nodeIp: '10.99.1.2', segment: 'subnet-9' }), unsaid);
    delete map.leases.find(({ instanceId }) => instanceId === 'i-a')?.segment;
  });
  const routes = await programmed(node);
  assert.deepEqual(
    routes.map((row) => / dev (\S+)/.exec(row)?.[1]),
    ['lw-1', 'lw-1'],
  );
});

kernelTest('M8: one end direct, the other by tunnel: packets pass both ways', async (t) => {
  const cluster = await Cluster.open(
    t,
    { backend: directBackend },
    ['a', 'b'].map((name) => ipv4(name, { pod: true })),
  );
  const [a, b] = [cluster.node('a'), cluster.node('b')];
  const tunnel = `${cluster.mapPath}.tunnel`;
  writeMap(tunnel, { ...cluster.map, config: { ...cluster.map.config, Backend: tunnelBackend } });
  await programmed(a);
  await programmed(b, ['--map', tunnel]);
  assert.match((await ourRoutes(b.namespace)).join('\n'), /^10\.244\.1\.0\/24 via 10\.244\.1\.0 dev lw-1 /m);
  assert.match((await ourRoutes(a.namespace)).join('\n'), /^10\.244\.2\.0\/24 via 10\.0\.1\.11 dev eth0 /m);
  for (let packet = 0; packet < 5; packet += 1) {
    assert.equal((await a.pod.echo(b.podIp)).outcome, 'answered');
    assert.equal((await b.pod.echo(a.podIp)).outcome, 'answered');
  }
  await programmed(b);
  assert.deepEqual(await ourFdb(b.namespace), [], 'converted in place');
  assert.equal((await a.pod.echo(b.podIp)).outcome, 'answered');
});

kernelTest('M10: every lease has exactly one row of ours under every backend that can carry it', async (t) => {
  const { cluster, node } = await alone(t, [2, 3, 4, 5]);
  const backends = [
    directBackend,
    tunnelBackend,
    { ...directBackend, LocalNetworkMask: 28 },
    { Type: 'aws-vpc', RouteTableID: ['rtb-1'], Fallback: directBackend },
    { Type: 'aws-vpc', RouteTableID: ['rtb-1'], Fallback: tunnelBackend },
  ];
  for (const backend of backends) {
    cluster.publish((map) => {
      map.config['Backend'] = backend;
    });
    const routes = (await programmed(node)).filter((row) => !row.startsWith('10.244.0.0/16 '));
    const subnets = routes.map((row) => row.split(' ')[0]);
    assert.deepEqual(
      subnets,
      ['10.244.2.0/24', '10.244.3.0/24', '10.244.4.0/24', '10.244.5.0/24'],
      JSON.stringify(backend),
    );
  }
});

kernelTest('R5: a policy rule that leads packets past our rows is named, until it does so no more', async (t) => {
  const { node } = await alone(t, [2, 3]);
  const problems = async () => {
    const { stderr } = await node.once();
    return stderr.split('\n').filter((line) => line.includes('policy rule'));
  };
  await ipBatch(node.namespace, [
    'route add default via 10.0.1.1 dev eth0 table 10001',
    'rule add from 10.0.1.10 lookup 10001 priority 10001',
  ]);
  const [tunnel = '', neighbour = '', ...more] = (await problems()).sort();
  assert.match(tunnel, /packets from 10\.0\.1\.10 to 10\.244\.2\.0\/24 go via 10\.0\.1\.1 dev eth0 by table 10001/);
  assert.match(neighbour, /to 10\.244\.3\.0\/24 .*"to 10\.244\.0\.0\/16 lookup main" with a priority below 10001/);
  assert.deepEqual(more, []);
  await node.ip('rule add to 10.244.0.0/16 lookup main priority 9000');
  assert.deepEqual(await problems(), []);
});

kernelTest(
  'R10: an IPv6 address of its own length, as DHCPv6 gives it on EC2, is a neighbour by the prefix of the router',
  async (t) => {
    const names = ['a', 'b'];
    const cluster = await Cluster.open(
      t,
      { backend: directBackend, network: dualStackNetwork },
      names.map((name) => nodeSpec(name)),
    );
    for (const node of cluster.nodes) {
      const { ipv6 = '' } = node.spec;
      const address = ipv6.split('/')[0];
      await ipBatch(node.namespace, [
        `address del ${ipv6} dev eth0`,
        `address add ${address}/128 dev eth0 nodad`,
        'route add 2600:1f14:0:1::/64 dev eth0 proto ra metric 1024',
      ]);
    }
    for (const node of cluster.nodes) await programmed(node);
    const [a, b] = [cluster.node('a'), cluster.node('b')];
    assert.match(await a.ip('-6 route show proto 76'), / via 2600:1f14:0:1::\S+ dev eth0 /);
    assert.equal((await a.pod.echo(b.podIpv6)).outcome, 'answered');
    assert.equal((await b.pod.echo(a.podIpv6)).outcome, 'answered');
  },
);
