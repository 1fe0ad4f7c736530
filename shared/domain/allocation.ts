/** Which subnet an instance gets. */
import { type Cidr, compareCidrs, contains, overlaps, subnetIndex } from './cidr.ts';
import { gaps, placeAt, type Span, sizeOf } from './free-index.ts';
import { isHeld } from './lease.ts';
import type { LeaseRecord } from './lease-record.ts';
import type { NetworkConfig } from './network-config.ts';
import {
  blockedSpans,
  misfit,
  type Obstacles,
  pairOf,
  poolSpan,
  primaryFamily,
  type SubnetPair,
  spansOf,
  subnetPair,
} from './subnet-pool.ts';

export interface Asking {
  readonly instanceId: string;
  /** The subnet that it holds or held last. */
  readonly previous: Cidr | null;
  /** The one it asks for; null: any. */
  readonly wanted: Cidr | null;
  /** Which of the never used ones to take, counted round: 0 unless another keeper was faster at the lower ones. */
  readonly spread: bigint;
}

export type Allocation =
  /** It holds one. */
  | { readonly kind: 'own'; readonly lease: LeaseRecord }
  | ({
      readonly kind: 'subnet';
      /** Its present lease, of which the network has no more use; to be released with the grant. */
      readonly instead: LeaseRecord | null;
      /** Why it does not get its previous one back, which it did not ask to leave; null: it does, or never had one. */
      readonly lost: string | null;
    } & SubnetPair)
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * In this order: its own lease; the subnet it asks for; its previous one, unless that was granted to another since (then
 * never again, even when the other is gone: containers elsewhere may know its addresses); one that nobody ever had; of
 * those handed back the one longest free; of those that ran out the one longest free, whose holder may yet return; and at
 * last one without an item that is routed: in a book that was restored its holder may be missing.
 */
export function allocate(
  config: NetworkConfig,
  leases: readonly LeaseRecord[],
  obstacles: Obstacles,
  asking: Asking,
): Allocation {
  const own = leases.find((lease) => lease.instanceId === asking.instanceId && isHeld(lease.state));
  const away = own === undefined ? null : (misfit(config, own.subnet) ?? protection(config, own.subnet));
  if (own !== undefined && away === null) return ownOrRefused(own, asking);

  const blocked = blockedSpans(config, leases, obstacles);
  if (asking.wanted !== null) return wantedOne(config, leases, blocked, asking, asking.wanted, own ?? null);

  const previous = own?.subnet ?? asking.previous;
  const lost = previous === null ? null : (away ?? whyLost(config, leases, blocked, asking, previous));
  if (previous !== null && lost === null) {
    return { kind: 'subnet', instead: null, lost: null, ...pairOf(config, previous) };
  }
  const index = freeIndex(
    config,
    leases,
    { blocked, routed: spansOf(config, obstacles.routed) },
    { ...asking, previous },
  );
  if (index === null) return { kind: 'refused', reason: capacity(config, leases) };
  const reason = lost === null || previous === null ? null : `${previous.text} ${lost}`;
  return { kind: 'subnet', instead: own ?? null, lost: reason, ...subnetPair(config, index) };
}

function ownOrRefused(own: LeaseRecord, { wanted }: Asking): Allocation {
  if (wanted === null || wanted.text === own.subnet.text) return { kind: 'own', lease: own };
  const reason = `${wanted.text} cannot be had while this instance holds ${own.subnet.text}: release that first`;
  return { kind: 'refused', reason };
}

function wantedOne(
  config: NetworkConfig,
  leases: readonly LeaseRecord[],
  blocked: readonly Span[],
  asking: Asking,
  wanted: Cidr,
  own: LeaseRecord | null,
): Allocation {
  const problem = misfit(config, wanted) ?? protection(config, wanted) ?? holder(leases, wanted, asking);
  if (problem !== null) return { kind: 'refused', reason: `${wanted.text} ${problem}` };
  const pair = pairOf(config, wanted);
  if (isBlocked(config, blocked, wanted)) return { kind: 'refused', reason: `${wanted.text} ${inTheWay}` };
  return { kind: 'subnet', instead: own, lost: null, ...pair };
}

const inTheWay = 'is taken by a foreign route, a protected range or an unreadable item';

function whyLost(
  config: NetworkConfig,
  leases: readonly LeaseRecord[],
  blocked: readonly Span[],
  asking: Asking,
  previous: Cidr,
): string | null {
  const problem = misfit(config, previous) ?? protection(config, previous);
  if (problem !== null) return problem;
  const record = leases.find((lease) => lease.subnet.text === previous.text);
  if (record !== undefined && record.instanceId !== asking.instanceId) {
    return `was granted to ${record.instanceId ?? `${record.eniId} (reserved)`} meanwhile`;
  }
  return isBlocked(config, blocked, previous) ? inTheWay : null;
}

function holder(leases: readonly LeaseRecord[], wanted: Cidr, { instanceId }: Asking): string | null {
  const other = leases.find(
    (lease) => isHeld(lease.state) && lease.instanceId !== instanceId && overlaps(lease.subnet, wanted),
  );
  if (other === undefined) return null;
  return other.instanceId === null ? `is reserved for ${other.eniId}` : `is held by ${other.instanceId}`;
}

function protection(config: NetworkConfig, subnet: Cidr): string | null {
  const range = config.protected.find((block) => overlaps(block, subnet));
  return range === undefined ? null : `is in the protected range ${range.text}`;
}

function freeIndex(
  config: NetworkConfig,
  leases: readonly LeaseRecord[],
  { blocked, routed }: { readonly blocked: readonly Span[]; readonly routed: readonly Span[] },
  { previous, spread }: Asking,
): bigint | null {
  const known = leases.filter((lease) => misfit(config, lease.subnet) === null);
  const { network } = primaryFamily(config);
  const indexOf = ({ subnet }: LeaseRecord) => subnetIndex(network, subnet);
  const used = [
    ...known.map(indexOf),
    ...(previous !== null && contains(network, previous) ? [subnetIndex(network, previous)] : []),
  ];
  const taken = [...blocked, ...used.map((index) => ({ first: index, last: index }))];
  const unused = placeAt(gaps(poolSpan(config), [...taken, ...routed]), spread);
  if (unused !== null) return unused;

  const free = gaps(poolSpan(config), blocked);
  const [oldest] = known
    .filter((lease) => !isHeld(lease.state) && lease.subnet.text !== previous?.text)
    .filter((lease) => free.some(({ first, last }) => first <= indexOf(lease) && indexOf(lease) <= last))
    .sort(
      (a, b) =>
        Number(a.state === 'expired') - Number(b.state === 'expired') ||
        (a.releasedAt ?? 0) - (b.releasedAt ?? 0) ||
        compareCidrs(a.subnet, b.subnet),
    );
  return oldest === undefined ? placeAt(gaps(poolSpan(config), taken), spread) : indexOf(oldest);
}

function isBlocked(config: NetworkConfig, blocked: readonly Span[], subnet: Cidr): boolean {
  const index = subnetIndex(primaryFamily(config).network, subnet);
  return blocked.some(({ first, last }) => first <= index && index <= last);
}

function capacity(config: NetworkConfig, leases: readonly LeaseRecord[]): string {
  const { network, subnetLen, subnetMin, subnetMax } = primaryFamily(config);
  const holding = leases.filter((lease) => isHeld(lease.state) && misfit(config, lease.subnet) === null);
  const stopped = holding.filter(({ state }) => state === 'withdrawn').length;
  const room = sizeOf([poolSpan(config)]);
  return (
    `out of subnets: ${network.text} has room for ${room} of /${subnetLen} (${subnetMin.text} to ${subnetMax.text}), ` +
    `of which ${holding.length} are held${stopped === 0 ? '' : ` (${stopped} by stopped instances)`} and the others are protected, in conflict with foreign routes, or cannot be read`
  );
}
