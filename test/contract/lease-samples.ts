/** Leases and holders for contracts that only need some. */
import { parseCidr } from '../../shared/domain/cidr.ts';
import { type HolderRecord, type LeaseRecord, notAdvertised } from '../../shared/domain/lease-record.ts';
import type { MapLease } from '../../shared/domain/map.ts';

export function arnOf(instanceId: string): string {
  return `arn:aws:ec2:eu-central-1:123456789012:instance/${instanceId}`;
}

/** The lease of 10.244.<number>.0/24. */
export function leaseRecord(number: number, fields: Partial<LeaseRecord> = {}): LeaseRecord {
  const instanceId = `i-${number}`;
  return {
    subnet: parseCidr(`10.244.${number}.0/24`, 'subnet'),
    ipv6Subnet: null,
    instanceId,
    eniId: `eni-${number}`,
    nodeIp: `10.0.1.${number}`,
    nodeIpv6: null,
    subnetId: 'subnet-1',
    segment: 'subnet-1',
    vtepMac: '02:00:00:00:00:01',
    state: 'active',
    acquiredAt: 1_793_491_200,
    expiresAt: 1_793_577_600,
    version: 1,
    instanceArn: arnOf(instanceId),
    claimId: `claim-${number}`,
    advertise: notAdvertised,
    onLinkPrefix: 24,
    mtu: 9001,
    releasedAt: null,
    ttl: null,
    ...fields,
  };
}

export function holderRecord(number: number, fields: Partial<HolderRecord> = {}): HolderRecord {
  return {
    instanceId: `i-${number}`,
    instanceArn: arnOf(`i-${number}`),
    subnet: parseCidr(`10.244.${number}.0/24`, 'subnet'),
    fact: { state: 'running', time: 1_793_491_200 },
    missingSince: null,
    advertise: notAdvertised,
    lost: null,
    version: 1,
    ttl: null,
    ...fields,
  };
}

/** The lease of the `index`-th /24 of 10.0.0.0/8, as the map shows it. */
export function mapLease(index: number, fields: Partial<MapLease> = {}): MapLease {
  return {
    subnet: `10.${index >> 8}.${index & 255}.0/24`,
    ipv6Subnet: null,
    instanceId: `i-${index}`,
    eniId: `eni-${index}`,
    nodeIp: `172.16.${index >> 8}.${index & 255}`,
    nodeIpv6: null,
    subnetId: 'subnet-1',
    segment: 'subnet-1',
    vtepMac: '02:00:00:00:00:01',
    state: 'active',
    routedIn: ['rtb-1', 'rtb-2'],
    ipv6RoutedIn: [],
    ...fields,
  };
}
