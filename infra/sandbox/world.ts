import { fromItem, toItem } from './attribute-json.ts';
import type { Item } from './dynamodb/attribute-value.ts';
import { isRecord, list, number, type Params, record, records, text } from './params.ts';
import { sandboxAccount, sandboxRegion } from './service.ts';

/**
 * World files (`leaseway plan --world`) from and into the state of the sandbox. The items of the leases table are
 * those that the keeper writes: `lease#<cidr>`, `holder#<instance>` and `config` under `network#<name>`.
 */

/** The members of a world file that become EC2's resources, as `Ec2.seed` takes them. */
export function worldResources(world: Params) {
  const under = (key: string, inner: string) =>
    (Array.isArray(world[key]) ? list(world, key) : list(record(world, key) ?? {}, inner)).filter(isRecord);
  return { routeTables: under('routeTables', 'RouteTables'), instances: under('instances', 'Reservations') };
}

/** The items of the leases table that a world file's leases and configuration stand for. `now`: ms since the epoch. */
export function worldItems(world: Params, network: string, now: number): readonly Item[] {
  const pk = `network#${network}`;
  const leases = records(world, 'leases').flatMap((lease) => leaseItems(lease, pk, now));
  const config = world['config'];
  if (config === undefined || config === null) return leases;
  const stored = { config: JSON.stringify(config), revision: 1, appliedAt: Math.floor(now / 1000) };
  return [...leases, toItem({ pk, sk: 'config', ...stored })];
}

function leaseItems(lease: Params, pk: string, now: number): readonly Item[] {
  const subnet = text(lease, 'subnet') ?? '';
  const instanceId = text(lease, 'instanceId') ?? null;
  const acquiredAt = number(lease, 'acquiredAt') ?? Math.floor(now / 1000);
  const state = text(lease, 'state') ?? 'active';
  const instanceArn = instanceId && `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/${instanceId}`;
  const advertise = { ipv4: null, ipv6: null };
  const item = {
    ipv6Subnet: null,
    eniId: null,
    nodeIp: null,
    nodeIpv6: null,
    subnetId: null,
    segment: null,
    vtepMac: null,
    expiresAt: null,
    claimId: null,
    onLinkPrefix: null,
    mtu: null,
    releasedAt: null,
    ...lease,
    subnet,
    instanceId,
    instanceArn,
    acquiredAt,
    state,
    advertise,
    version: now,
  };
  const items = [toItem({ pk, sk: `lease#${subnet}`, ...item })];
  if (instanceId === null) return items;
  const fact = { state: 'running', time: acquiredAt };
  const holder = { instanceId, instanceArn, subnet, fact, missingSince: null, advertise, lost: null, version: now };
  return [...items, toItem({ pk, sk: `holder#${instanceId}`, ...holder })];
}

export interface WorldSources {
  /** ms since the epoch */
  readonly now: number;
  readonly network: string;
  readonly leaseItems: readonly Item[];
  readonly reservations: readonly unknown[];
  readonly routeTables: readonly unknown[];
  /** EC2's quota of routes per table where it is not the usual one. */
  readonly routeLimit: number | undefined;
}

/** Members of a world file's lease; the others of an item are the keeper's own. */
const leaseMembers = [
  'subnet',
  'ipv6Subnet',
  'instanceId',
  'eniId',
  'nodeIp',
  'nodeIpv6',
  'subnetId',
  'segment',
  'vtepMac',
  'acquiredAt',
  'expiresAt',
  'state',
];

/** A world file of the present state; `config` is absent while the network has none. */
export function presentWorld(sources: WorldSources): Params {
  const { now, network, leaseItems: items, reservations, routeTables, routeLimit } = sources;
  const rows = items.map(fromItem).filter((item) => item['pk'] === `network#${network}`);
  const leases = rows
    .filter((item) => text(item, 'sk')?.startsWith('lease#'))
    .map((item) => Object.fromEntries(leaseMembers.flatMap((key) => (item[key] == null ? [] : [[key, item[key]]]))));
  const stored = rows.find((item) => item['sk'] === 'config')?.['config'];
  const config = typeof stored === 'string' ? JSON.parse(stored) : stored;
  return {
    now: Math.floor(now / 1000),
    ...(config !== undefined && { config }),
    leases,
    instances: { Reservations: reservations },
    routeTables: { RouteTables: routeTables },
    ...(routeLimit !== undefined && { options: { routeLimit } }),
  };
}
