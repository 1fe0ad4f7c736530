/**
 * `npm run demo:nodes`: four nodes in two subnets of a VPC made of network namespaces, each with the real agent. Shows
 * their tables, pings from every pod to every other, kills a node and replaces it, and moves a pair onto VPC routes and
 * back. Ends with 1 when anything is not as it should be.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Cluster, directBackend, dualStackNetwork, hybridBackend, nodeSpec } from '../lab/cluster.ts';
import { ourState, untilPath, untilReady, untilRouted } from '../lab/converged.ts';
import { nodeTables } from '../lab/kernel-state.ts';
import { cannotRun } from '../lab/kernel-test.ts';
import type { Node } from '../lab/node.ts';
import { mainTable, toEni } from '../vpc/model.ts';
import { Checks, printMatrix, printPeers, title } from './show.ts';

const golden = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../golden/nodes/${name}.txt`, import.meta.url)), 'utf8');

async function demo(after: (undo: () => void | Promise<void>) => void): Promise<boolean> {
  const checks = new Checks();
  title('Four nodes in two subnets, one agent each (vxlan with DirectRouting, dual stack)');
  const spec = { backend: directBackend, network: dualStackNetwork };
  const cluster = await Cluster.open(
    { after },
    spec,
    ['a', 'b', 'c', 'd'].map((name) => nodeSpec(name)),
  );
  for (const node of cluster.nodes) node.start(['--poll', '0.5', '--rp-filter', 'loose']);
  await untilRouted(cluster.nodes, 3);
  for (const node of cluster.nodes) await untilReady(node);

  for (const node of cluster.nodes) {
    const { name, lease } = node.spec;
    const tables = await nodeTables(node.namespace);
    title(`Node ${name}: ${node.nodeIp} in ${node.spec.subnetId}, lease ${lease}`);
    console.log(tables);
    checks.that(`tables of ${name} are the golden ones`, `${tables}\n` === golden(name));
  }
  title('How node a reaches the others, and why');
  printPeers(JSON.parse((await cluster.node('a').status()).stdout));

  title('Pings from every pod to every other');
  await pingAll(checks, cluster);

  title('Node d is switched off; the others go on');
  await replaceNode(checks, cluster);

  title('a and c move to VPC routes and back, with a ping each 5 ms');
  await moveToVpc(checks, cluster);
  return checks.summary();
}

async function pingAll(checks: Checks, cluster: Cluster): Promise<void> {
  const rows = new Map<string, Map<string, boolean>>();
  for (const from of cluster.nodes) {
    const row = new Map<string, boolean>();
    for (const to of cluster.nodes) {
      if (to === from) continue;
      const reached = (await from.pod.reaches(to.podIp)) && (await from.pod.reaches(to.podIpv6));
      row.set(to.spec.name, reached);
    }
    rows.set(from.spec.name, row);
  }
  printMatrix(rows);
  checks.that(
    'every pod reaches every other',
    [...rows.values()].every((row) => [...row.values()].every(Boolean)),
  );
}

async function replaceNode(checks: Checks, cluster: Cluster): Promise<void> {
  const [a, b, c] = [cluster.node('a'), cluster.node('b'), cluster.node('c')];
  const probes = await Promise.all([a.pod.probe(b.podIp), a.pod.probe(c.podIp)]);
  await cluster.kill('d');
  cluster.publish((map) => {
    map.leases = map.leases.filter(({ instanceId }) => instanceId !== 'i-d');
  });
  await untilRouted([a, b, c], 2);
  const forgotten = (await Promise.all([a, b, c].map(ourState))).every(
    ({ routes, neighbours, fdb }) => !/10\.244\.4\.0|00:04/.test([...routes, ...neighbours, ...fdb].join()),
  );
  checks.that('a, b and c have no row of d left', forgotten);

  const e = await cluster.add(
    nodeSpec('e', {
      ...{ subnetId: 'subnet-2', address: '10.0.2.14/24', ipv6: '2600:1f14:0:2::14/64', gateway: '10.0.2.1' },
      ...{ lease: '10.244.4.0/24', ipv6Lease: 'fd00:244:0:4::/64' },
    }),
  );
  e.start(['--poll', '0.5', '--rp-filter', 'loose']);
  cluster.publish();
  await untilRouted(cluster.nodes, 3);
  await untilReady(e);
  console.log(`node e (${e.nodeIp}) has d's subnet now`);
  await pingAll(checks, cluster);
  for (const probe of probes) {
    const { sent, lost } = await probe.stop();
    checks.that(`the others lost ${lost} of ${sent} pings meanwhile`, lost === 0);
  }
}

async function moveToVpc(checks: Checks, cluster: Cluster): Promise<void> {
  const [a, c] = [cluster.node('a'), cluster.node('c')];
  const route = ({ spec: { lease, ipv6Lease = '' }, eniId }: Node) => [toEni(lease, eniId), toEni(ipv6Lease, eniId)];
  await cluster.vpc.applyRouteTables([mainTable('rtb-1', cluster.nodes.flatMap(route))]);
  cluster.publish((map) => {
    map.config['Backend'] = hybridBackend;
  });
  await untilPath(a, cluster.map.config['Network'] as string, 'eth0');
  await untilPath(c, cluster.map.config['Network'] as string, 'eth0');
  const probes = await Promise.all([a.pod.probe(c.podIp), c.pod.probe(a.podIp)]);
  const exchange = await a.pod.exchange(c.podIp);
  const publish = (routedIn: string[]) =>
    cluster.publish((map) => {
      for (const lease of map.leases) Object.assign(lease, { routedIn: [...routedIn], ipv6RoutedIn: [...routedIn] });
    });
  publish(['rtb-1', 'rtb-2']);
  await Promise.all([untilPath(a, c.spec.lease, null), untilPath(c, a.spec.lease, null)]);
  printPeers(JSON.parse((await a.status()).stdout));
  publish([]);
  await Promise.all([untilPath(a, c.spec.lease, 'lw-1'), untilPath(c, a.spec.lease, 'lw-1')]);
  for (const probe of probes) {
    const { sent, lost } = await probe.stop();
    checks.that(`${lost} of ${sent} pings were lost`, lost === 0);
  }
  const { sent, echoed, broken } = await exchange.stop();
  checks.that(`a TCP connection carried ${echoed} of ${sent} messages`, broken === null && echoed === sent);
}

if (cannotRun === undefined) {
  const undos: (() => void | Promise<void>)[] = [];
  try {
    process.exitCode = (await demo((undo) => undos.push(undo))) ? 0 : 1;
  } finally {
    for (const undo of undos) await undo();
  }
} else {
  console.error(`demo:nodes cannot run here: it ${cannotRun}`);
  process.exitCode = 1;
}
