/** The `Backend` of a network configuration, and the `Fallback` inside an aws-vpc one. */
import { tryParseAddress } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import type { AwsVpcConfig, BackendConfig, HostGwConfig, NodeBackend, VxlanConfig } from './network-config.ts';
import { readBoolean, readInteger, readText } from './placed-values.ts';
import { parseRouteTableIds } from './route-table-ids.ts';
import { type KeyOptions, nearestWord, type Placed, readKeys } from './strict-keys.ts';

const nodeTypes = ['host-gw', 'vxlan'] as const;
const types = ['aws-vpc', ...nodeTypes] as const;
type BackendType = (typeof types)[number];

/** Backends of flannel that Leaseway does not have. */
const foreignTypes = ['udp', 'ipip', 'ipsec', 'wireguard', 'alloc', 'extension', 'gce', 'ali-vpc', 'tencent-vpc'];

const keysOf = {
  'aws-vpc': ['Type', 'RouteTableID', 'MTU', 'Fallback'],
  'host-gw': ['Type', 'MTU', 'LocalNetworkMask'],
  vxlan: ['Type', 'VNI', 'Port', 'MTU', 'Learning', 'GBP', 'DirectRouting', 'LocalNetworkMask', 'MacPrefix'],
} as const;

/** 24 bits; flannel's default is 1, and 0 is no VNI of a Linux device. */
const mostVni = 16_777_215;
/** The kernel's own default, which is not IANA's 4789: flannel never asked for another. */
const kernelPort = 8472;
/** Every IPv4 host must be able to reassemble this many bytes (RFC 791). */
const leastIpv4Mtu = 576;
/** Below it the kernel takes IPv6 off the link (RFC 8200). */
const leastIpv6Mtu = 1280;
/** What vxlan adds to a packet over IPv6. */
const ipv6VxlanOverhead = 70;

export interface BackendOptions extends KeyOptions {
  /** Whether the network has IPv6 subnets, whose links need a larger MTU. */
  readonly hasIpv6: boolean;
}

/** @throws InvalidInput naming the key, its value and what was expected. */
export function parseBackend(placed: Placed, options: BackendOptions): BackendConfig {
  if (placed.value === undefined) {
    throw new InvalidInput(placed.field, undefined, `is required: {"Type": one of ${types.join(', ')}}`);
  }
  return readType(placed, types) === 'aws-vpc' ? parseAwsVpc(placed, options) : parseNodeBackend(placed, options);
}

function parseAwsVpc(placed: Placed, options: BackendOptions): AwsVpcConfig {
  const keys = readKeys(placed, keysOf['aws-vpc'], options);
  return {
    type: 'aws-vpc',
    routeTableIds: parseRouteTableIds(keys.RouteTableID),
    mtu: readMtu(keys.MTU, options, 0),
    fallback: keys.Fallback.value === undefined ? null : parseNodeBackend(keys.Fallback, options),
  };
}

function parseNodeBackend(placed: Placed, options: BackendOptions): NodeBackend {
  return readType(placed, nodeTypes) === 'vxlan' ? parseVxlan(placed, options) : parseHostGw(placed, options);
}

function parseHostGw(placed: Placed, options: BackendOptions): HostGwConfig {
  const keys = readKeys(placed, keysOf['host-gw'], options);
  return { type: 'host-gw', mtu: readMtu(keys.MTU, options, 0), localNetworkMask: readMask(keys.LocalNetworkMask) };
}

function parseVxlan(placed: Placed, options: BackendOptions): VxlanConfig {
  const keys = readKeys(placed, keysOf.vxlan, options);
  checkMacPrefix(keys.MacPrefix);
  return {
    type: 'vxlan',
    vni: readInteger(keys.VNI, 1, mostVni) ?? 1,
    port: readInteger(keys.Port, 1, 65_535) ?? kernelPort,
    mtu: readMtu(keys.MTU, options, ipv6VxlanOverhead),
    directRouting: readBoolean(keys.DirectRouting, false),
    localNetworkMask: readMask(keys.LocalNetworkMask),
    learning: readBoolean(keys.Learning, false),
    gbp: readBoolean(keys.GBP, false),
  };
}

/** The type, whose case is free as in flannel. */
function readType<Type extends BackendType>(placed: Placed, allowed: readonly Type[]): Type {
  const type = readKeys(placed, ['Type'], { lenient: true }).Type;
  const text = readText(type);
  const word = allowed.find((candidate) => candidate === text.toLowerCase());
  if (word !== undefined) return word;
  const supported = `supported here: ${allowed.join(', ')}`;
  if (foreignTypes.includes(text.toLowerCase())) {
    throw new InvalidInput(type.field, text, `is a flannel backend that Leaseway does not support; ${supported}`);
  }
  const near = nearestWord(text, allowed);
  const hint = near === null ? '' : `; is ${near} meant?`;
  throw new InvalidInput(type.field, text, `is not supported; ${supported}${hint}`);
}

function readMtu(placed: Placed, { hasIpv6 }: BackendOptions, overhead: number): number | null {
  return readInteger(placed, hasIpv6 ? leastIpv6Mtu + overhead : leastIpv4Mtu, 65_535);
}

/** A prefix length, a number or its text, or a dotted mask such as 255.255.255.0. */
function readMask(placed: Placed): number | null {
  const { field, value } = placed;
  if (value === undefined) return null;
  const text = typeof value === 'number' ? String(value) : value;
  const length = typeof text !== 'string' ? null : text.includes('.') ? maskLength(text) : prefixLength(text);
  if (length === null) {
    throw new InvalidInput(field, value, 'is not a network mask such as 255.255.255.0 or a prefix length of 1 to 32');
  }
  return length;
}

function prefixLength(text: string): number | null {
  return /^[1-9][0-9]?$/.test(text) && Number(text) <= 32 ? Number(text) : null;
}

function maskLength(text: string): number | null {
  const address = tryParseAddress(text);
  if (address === null || address.family !== 'ipv4') return null;
  const bits = address.value.toString(2).padStart(32, '0');
  return /^1+0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : null;
}

/** flannel's key for Windows nodes, without effect on Linux there as here. */
function checkMacPrefix(placed: Placed): void {
  if (placed.value === undefined || /^[0-9a-f]{2}-[0-9a-f]{2}$/i.test(readText(placed))) return;
  throw new InvalidInput(placed.field, placed.value, 'is not the begin of a MAC address such as 0E-2A');
}
