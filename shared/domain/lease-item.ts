/** Lease and holder records as the plain objects of their DynamoDB items, without the keys. */
import * as v from 'valibot';
import { instanceStates } from './instance-life.ts';
import { isHeld, leaseStates } from './lease.ts';
import type { HolderRecord, LeaseRecord, StoredConfig } from './lease-record.ts';
import { addressField, cidrText, count, epochSeconds, macText, parseWith, shortText } from './parse-with.ts';

const advertise = v.object({ ipv4: v.nullable(addressField('ipv4')), ipv6: v.nullable(addressField('ipv6')) });
const prefixLength = v.pipe(count, v.maxValue(128, 'is no prefix length'));

const leaseSchema = v.pipe(
  v.object({
    subnet: cidrText(),
    ipv6Subnet: v.nullable(cidrText('ipv6')),
    instanceId: v.nullable(shortText),
    eniId: shortText,
    nodeIp: v.nullable(addressField('ipv4')),
    nodeIpv6: v.nullable(addressField('ipv6')),
    subnetId: v.nullable(shortText),
    segment: v.nullable(shortText),
    vtepMac: v.nullable(macText),
    state: v.picklist(leaseStates, 'is no lease state'),
    acquiredAt: epochSeconds,
    expiresAt: v.nullable(epochSeconds),
    version: count,
    instanceArn: v.nullable(shortText),
    claimId: v.nullable(shortText),
    advertise,
    onLinkPrefix: v.nullable(prefixLength),
    mtu: v.nullable(count),
    releasedAt: v.nullable(epochSeconds),
    ttl: v.optional(v.nullable(epochSeconds), null),
  }),
  v.check((lease) => lease.instanceId !== null || !isHeld(lease.state) || lease.state === 'reserved', 'has no holder'),
);

const holderSchema = v.object({
  instanceId: shortText,
  instanceArn: shortText,
  subnet: cidrText(),
  fact: v.object({ state: v.picklist([...instanceStates, 'gone'], 'is no state'), time: epochSeconds }),
  missingSince: v.nullable(epochSeconds),
  advertise,
  lost: v.nullable(v.object({ subnet: cidrText(), at: epochSeconds })),
  version: count,
  ttl: v.optional(v.nullable(epochSeconds), null),
});

const configSchema = v.object({
  config: v.fallback(v.string(), ''),
  revision: v.fallback(v.pipe(v.number(), v.finite()), 0),
  appliedAt: v.fallback(epochSeconds, 0),
});

/** CIDRs as text; `ttl` only where there is one, as DynamoDB's time to live wants it. */
export function leaseItem(record: LeaseRecord): Record<string, unknown> {
  const { subnet, ipv6Subnet, ttl, ...rest } = record;
  return { ...rest, subnet: subnet.text, ipv6Subnet: ipv6Subnet?.text ?? null, ...(ttl === null ? {} : { ttl }) };
}

/** Throws InvalidInput that names the field; attributes that are not known (the keys) are ignored. */
export function parseLeaseItem(item: unknown): LeaseRecord {
  return parseWith(leaseSchema, item, 'lease');
}

export function holderItem(record: HolderRecord): Record<string, unknown> {
  const { subnet, lost, ttl, ...rest } = record;
  return {
    ...rest,
    subnet: subnet.text,
    lost: lost === null ? null : { subnet: lost.subnet.text, at: lost.at },
    ...(ttl === null ? {} : { ttl }),
  };
}

export function parseHolderItem(item: unknown): HolderRecord {
  return parseWith(holderSchema, item, 'holder');
}

export function configItem(config: StoredConfig): Record<string, unknown> {
  return { config: config.text, revision: config.revision, appliedAt: config.appliedAt };
}

/**
 * A damaged item is a configuration that cannot be used, and not an error: leases can be looked at all the same, and the
 * next one that is applied replaces it. Its revision is 0 where it has none.
 */
export function parseConfigItem(item: unknown): StoredConfig {
  const { config, ...rest } = v.parse(configSchema, item);
  return { text: config, ...rest };
}
