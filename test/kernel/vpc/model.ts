/** The VPC of the model's own tests: two subnets and bare hosts with an ENI each, no agent and no pods. */
import type { TestContext } from 'node:test';
import { atEnd } from '../lab/at-end.ts';
import { inNamespace, ipBatch, run, setSysctls } from '../lab/command.ts';
import { Endpoint } from '../lab/endpoint.ts';
import { makeNamespace, removeNamespace } from '../lab/namespaces.ts';
import type { DescribedRoute, DescribedRouteTable } from './describe.ts';
import { routerLinkLocal } from './placed-eni.ts';
import { Vpc, type VpcSpec } from './vpc.ts';

export const everyone = ['0.0.0.0/0', '::/0'];

export interface Host {
  readonly namespace: string;
  readonly eniId: string;
  readonly address: string;
  readonly ipv6: string;
  readonly endpoint: Endpoint;
}

export async function modelVpc(t: TestContext, spec: Partial<VpcSpec> = {}): Promise<Vpc> {
  const vpc = await Vpc.create({
    cidrs: ['10.0.0.0/16', '2600:1f14::/56'],
    subnets: [
      { id: 'subnet-1', cidr: '10.0.1.0/24', ipv6Cidr: '2600:1f14:0:1::/64' },
      { id: 'subnet-2', cidr: '10.0.2.0/24', ipv6Cidr: '2600:1f14:0:2::/64' },
    ],
    ...spec,
  });
  atEnd(t, () => vpc.close());
  return vpc;
}

/** A host `10.0.<subnet>.<number>` with addresses of both families, a default route each, and an echo. */
export async function addHost(
  t: TestContext,
  vpc: Vpc,
  subnet: 1 | 2,
  number: number,
  allowedFrom: readonly string[] = everyone,
): Promise<Host> {
  const namespace = await makeNamespace(`host-${subnet}-${number}`);
  const eniId = `eni-${subnet}-${number}`;
  const address = `10.0.${subnet}.${number}`;
  const ipv6 = `2600:1f14:0:${subnet}::${number}`;
  await setSysctls(namespace, { 'net/ipv4/ip_forward': 1, 'net/ipv6/conf/all/forwarding': 1 });
  await vpc.attach({ id: eniId, subnetId: `subnet-${subnet}`, address, ipv6, namespace, allowedFrom });
  await ipBatch(namespace, [
    'link set lo up',
    `address add ${address}/24 dev eth0`,
    `address add ${ipv6}/64 dev eth0 nodad`,
    `route add default via 10.0.${subnet}.1 dev eth0`,
    `route add ::/0 via ${routerLinkLocal} dev eth0`,
  ]);
  const endpoint = await Endpoint.start(namespace);
  atEnd(t, () => {
    endpoint.close();
    removeNamespace(namespace);
  });
  return { namespace, eniId, address, ipv6, endpoint };
}

/** Addresses behind a host, as its pods would have. */
export async function giveAddresses(host: Host, ...addresses: readonly string[]): Promise<void> {
  // The host asks for the router's MAC under its own address: under a pod's, which is local here, the answer is lost.
  await host.endpoint.echo('2001:db8::1', { timeoutMs: 50 });
  await ipBatch(
    host.namespace,
    addresses.map((address) => `address add ${address} dev lo${address.includes(':') ? ' nodad' : ''}`),
  );
  for (const address of addresses) await host.endpoint.listen(address.split('/')[0] ?? address);
}

export const toEni = (destination: string, eniId: string, State = 'active'): DescribedRoute => ({
  [destination.includes(':') ? 'DestinationIpv6CidrBlock' : 'DestinationCidrBlock']: destination,
  NetworkInterfaceId: eniId,
  State,
});

export const mainTable = (id: string, routes: readonly DescribedRoute[]): DescribedRouteTable => ({
  RouteTableId: id,
  Associations: [{ Main: true }],
  Routes: [{ DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', State: 'active' }, ...routes],
});

export const tableOf = (id: string, subnet: string, routes: readonly DescribedRoute[]): DescribedRouteTable => ({
  RouteTableId: id,
  Associations: [{ Main: false, SubnetId: subnet }],
  Routes: [{ DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', State: 'active' }, ...routes],
});

/** Switches the source/destination check off for the named ENIs, on for all others. */
export const checkOff = (vpc: Vpc, ...eniIds: readonly string[]): Promise<void> =>
  vpc.applyNetworkInterfaces(eniIds.map((NetworkInterfaceId) => ({ NetworkInterfaceId, SourceDestCheck: false })));

/** How many UDP datagrams the host was given so far: what arrived, whether or not an answer found its way back. */
export async function datagramsAt(host: Host): Promise<number> {
  const text = await run(inNamespace(host.namespace, ['cat', '/proc/net/snmp']));
  const [names = [], values = []] = text
    .split('\n')
    .flatMap((line) => (line.startsWith('Udp:') ? [line.split(' ')] : []));
  return Number(values[names.indexOf('InDatagrams')]);
}
