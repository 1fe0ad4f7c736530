/** Maps and nodes for the tests of the node's side. */
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { NodeFacts } from '../../../shared/domain/node-facts.ts';
import { type AgentLease, type AgentMap, readMap } from '../../../shared/domain/read-map.ts';

export type LeaseInput = Readonly<Record<string, unknown>>;

export const vxlan = { Type: 'vxlan' };
export const direct = { Type: 'vxlan', DirectRouting: true };
export const hostGw = { Type: 'host-gw' };
export const vpcOnly = { Type: 'aws-vpc', RouteTableID: ['rtb-1', 'rtb-2'] };
export const hybrid = { ...vpcOnly, Fallback: direct };

/** Lease `n` of node `n` on VPC subnet `subnet-<segment>`. */
export function lease(n: number, segment: number, more: LeaseInput = {}): LeaseInput {
  return {
    subnet: `10.244.${n}.0/24`,
    instanceId: `i-${n}`,
    eniId: `eni-${n}`,
    nodeIp: `10.0.${segment}.${n + 9}`,
    subnetId: `subnet-${segment}`,
    vtepMac: `02:00:00:00:00:${n.toString(16).padStart(2, '0')}`,
    ...more,
  };
}

/** With the IPv6 subnet of the same index. */
export function dualLease(n: number, segment: number, more: LeaseInput = {}): LeaseInput {
  return lease(n, segment, {
    ipv6Subnet: `fd00:244:0:${n.toString(16)}::/64`,
    nodeIpv6: `fd00:${segment}::${n + 9}`,
    ...more,
  });
}

export const tables = [
  { id: 'rtb-1', subnets: ['subnet-1'] },
  { id: 'rtb-2', subnets: ['subnet-2'] },
];

export function netConf(backend: unknown): LeaseInput {
  return { Network: '10.244.0.0/16', SubnetLen: 24, Backend: backend };
}

export function dualConf(backend: unknown): LeaseInput {
  return { ...netConf(backend), EnableIPv6: true, IPv6Network: 'fd00:244::/48' };
}

export function mapOf(leases: readonly unknown[], backend: unknown = direct, more: LeaseInput = {}): AgentMap {
  const base = { schema: 1, epoch: 1, revision: 1, network: 'default', config: netConf(backend), tables, leases };
  return readMap({ ...base, ...more });
}

export function leaseIn(map: AgentMap, n: number): AgentLease {
  const found = map.leases.find(({ instanceId }) => instanceId === `i-${n}`);
  if (found === undefined) throw new Error(`the map has no lease of i-${n}`);
  return found;
}

/** Node 1, on 10.0.1.0/24, fd00:1::/64. */
export function factsOf(more: Partial<NodeFacts> = {}): NodeFacts {
  return {
    instanceId: 'i-1',
    uplink: 'eth0',
    uplinkMtu: 9001,
    addresses: {
      ipv4: { address: '10.0.1.10', onLinkPrefix: 24 },
      ipv6: { address: 'fd00:1::10', onLinkPrefix: 64 },
    },
    routers: { ipv4: '10.0.1.1', ipv6: 'fe80::1' },
    localNetworks: [parseCidr('10.0.1.0/24', 'network'), parseCidr('fd00:1::/64', 'network')],
    ...more,
  };
}
