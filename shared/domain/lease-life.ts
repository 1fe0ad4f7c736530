/** What the life of its instance makes of a lease. */
import { isPastExpiry } from './expiry.ts';
import { isAlive, type LifeState } from './instance-life.ts';
import { isHeld } from './lease.ts';
import type { LeaseRecord } from './lease-record.ts';
import type { NetworkConfig } from './network-config.ts';

/** Seconds that a tombstone is kept: long enough for whoever was away (a weekend, a holiday) to find its last subnet. */
export const tombstoneSeconds = 30 * 86_400;

export type LifeRules = Pick<NetworkConfig, 'whenStopped' | 'leaseSeconds'>;

/**
 * The lease after EC2's last word on its instance. The same object when nothing changes; the version is left to the
 * writer. Leases that nobody holds, and reservations, are nobody's life.
 *
 * - `stopping` still forwards while pods drain, and so does `shutting-down`.
 * - `stopped` withdraws. With `WhenStopped: keep` the route stays, as a blackhole that the start fills again.
 * - `pending` changes nothing: its ENI forwards only once it runs.
 * - `running` restores. The lease begins a new term then, for it did not run out while its holder could not renew it.
 *   A stale lease stays stale: that its instance runs is what made it so.
 */
export function lived(lease: LeaseRecord, state: LifeState, rules: LifeRules, now: number): LeaseRecord {
  if (!isHeld(lease.state) || lease.state === 'reserved') return lease;
  switch (state) {
    case 'terminated':
    case 'gone':
      return freed(lease, 'released', now);
    case 'shutting-down':
    case 'stopping':
      return lease.state === 'leaving' || lease.state === 'withdrawn' ? lease : { ...lease, state: 'leaving' };
    case 'stopped':
      if (rules.whenStopped === 'keep') return lease.state === 'leaving' ? lease : { ...lease, state: 'leaving' };
      return lease.state === 'withdrawn' ? lease : { ...lease, state: 'withdrawn', expiresAt: null };
    case 'pending':
      return lease;
    case 'running':
      if (lease.state === 'active' || lease.state === 'stale') return lease;
      return { ...lease, state: 'active', expiresAt: now + rules.leaseSeconds };
  }
}

/** A tombstone: the subnet is free, and remembers its last holder. */
export function freed(lease: LeaseRecord, state: 'released' | 'expired', now: number): LeaseRecord {
  return { ...lease, state, releasedAt: now, ttl: now + tombstoneSeconds };
}

/**
 * The lease after a look at the clock. Expiry matters only where EC2 cannot tell: a lease whose instance runs becomes
 * stale, one whose instance is stopping or stopped is left alone, and one of which EC2 knows nothing (`null`) expires.
 * A stale lease whose term was prolonged is active again.
 */
export function aged(lease: LeaseRecord, state: LifeState | null, now: number): LeaseRecord {
  if (lease.state !== 'active' && lease.state !== 'stale' && lease.state !== 'leaving') return lease;
  if (!isPastExpiry(lease.expiresAt, now)) return lease.state === 'stale' ? { ...lease, state: 'active' } : lease;
  if (state === null) return freed(lease, 'expired', now);
  if (!isAlive(state) || lease.state !== 'active') return lease;
  return { ...lease, state: 'stale' };
}
