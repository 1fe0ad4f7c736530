/** Leases of machines that are not there: enough where only this node's tables are looked at. */
import type { MapLease } from './map-file.ts';

const hex = (value: number) => value.toString(16).padStart(2, '0');

/**
 * Number 2 to 249: 10.244.<number>.0/24 at 10.0.2.<number>, on another segment than node a's when even; odd ones are
 * neighbours at 10.0.1.<number + 100>.
 */
export function mapPeer(number: number, change: Partial<MapLease> = {}): MapLease {
  const neighbour = number % 2 === 1;
  return {
    subnet: `10.244.${number}.0/24`,
    instanceId: `i-peer-${number}`,
    eniId: `eni-peer-${number}`,
    nodeIp: neighbour ? `10.0.1.${number + 100}` : `10.0.2.${number}`,
    subnetId: neighbour ? 'subnet-1' : 'subnet-2',
    segment: neighbour ? 'subnet-1' : 'subnet-2',
    vtepMac: `02:00:00:00:00:${hex(number)}`,
    state: 'active',
    routedIn: [],
    ...change,
  };
}

/** Number 1 to 65,000: a /28 of a network 10.128.0.0/9, every fourth one a neighbour. */
export function smallPeer(number: number): MapLease {
  const address = (base: number, offset: number) => {
    const value = base + offset;
    return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
  };
  const neighbour = number % 4 === 0;
  return {
    subnet: `${address(0x0a80_0000, number * 16)}/28`,
    instanceId: `i-peer-${number}`,
    nodeIp: neighbour ? address(0x0a00_4000, number) : address(0x0a01_0000, number),
    subnetId: neighbour ? 'subnet-1' : 'subnet-2',
    segment: neighbour ? 'subnet-1' : 'subnet-2',
    vtepMac: `02:00:00:01:${hex(number >> 8)}:${hex(number & 255)}`,
    state: 'active',
    routedIn: [],
  };
}
