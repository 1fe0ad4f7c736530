/** A configuration written back as `net-conf.json`, with flannel's spelling of the keys and every default spelt out. */
import { baseAddress, type Family } from './cidr.ts';
import type { BackendConfig, NetworkConfig, Retired } from './network-config.ts';

/** Plain JSON data; parsing it gives an equal configuration. */
export function netConfOf(config: NetworkConfig): Record<string, unknown> {
  return {
    EnableIPv4: config.families.some(({ family }) => family === 'ipv4'),
    EnableIPv6: config.families.some(({ family }) => family === 'ipv6'),
    ...familyKeys(config, 'ipv4', ''),
    ...familyKeys(config, 'ipv6', 'IPv6'),
    Backend: backendKeys(config.backend),
    Leaseway: {
      Mode: config.mode,
      WhenStopped: config.whenStopped,
      LeaseSeconds: config.leaseSeconds,
      RouteLimit: config.routeLimit,
      Protected: config.protected.map(({ text }) => text),
      Retired: config.retired.map(retiredKeys),
    },
  };
}

function familyKeys(config: NetworkConfig, family: Family, prefix: string): Record<string, unknown> {
  const part = config.families.find((candidate) => candidate.family === family);
  if (part === undefined) return {};
  return {
    [`${prefix}Network`]: part.network.text,
    [`${prefix}SubnetLen`]: part.subnetLen,
    [`${prefix}SubnetMin`]: baseAddress(part.subnetMin),
    [`${prefix}SubnetMax`]: baseAddress(part.subnetMax),
  };
}

function backendKeys(backend: BackendConfig): Record<string, unknown> {
  const mtu = backend.mtu === null ? {} : { MTU: backend.mtu };
  if (backend.type === 'aws-vpc') {
    const fallback = backend.fallback === null ? {} : { Fallback: backendKeys(backend.fallback) };
    return { Type: backend.type, RouteTableID: backend.routeTableIds, ...mtu, ...fallback };
  }
  const mask = backend.localNetworkMask === null ? {} : { LocalNetworkMask: backend.localNetworkMask };
  if (backend.type === 'host-gw') return { Type: backend.type, ...mtu, ...mask };
  return {
    Type: backend.type,
    VNI: backend.vni,
    Port: backend.port,
    Learning: backend.learning,
    GBP: backend.gbp,
    DirectRouting: backend.directRouting,
    ...mtu,
    ...mask,
  };
}

function retiredKeys({ network, subnetLen, routeTableIds }: Retired): Record<string, unknown> {
  return {
    ...(network === null ? {} : { Network: network.text, SubnetLen: subnetLen }),
    ...(routeTableIds.length === 0 ? {} : { RouteTableID: routeTableIds }),
  };
}
