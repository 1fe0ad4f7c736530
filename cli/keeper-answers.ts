/** What `keep-leases` answers to commands, as far as the CLI looks into it. */
import type { LeaseDetailJson } from '../shared/domain/lease-json.ts';
import { columns } from './status-text.ts';

export interface LeasesAnswer {
  readonly leases: readonly LeaseDetailJson[];
  readonly duplicates?: readonly string[];
  readonly unreadable?: readonly { readonly sortKey: string; readonly problem: string }[];
}

interface StoredNetwork {
  readonly config: unknown;
  readonly text: string;
  readonly revision: number;
  /** Epoch seconds. */
  readonly appliedAt: number;
}

export interface NetworkAnswer {
  readonly network: string;
  readonly routeTableIds: readonly string[];
  readonly stored: StoredNetwork | null;
  readonly problem: string | null;
  readonly subnets: { readonly room: number; readonly held: number } | null;
}

export interface ChangeAnswer {
  readonly applied: boolean;
  readonly changed: boolean;
  readonly previous: StoredNetwork | null;
  readonly stored: StoredNetwork;
  readonly moved: readonly string[];
  readonly warnings: readonly string[];
}

/** What is wrong with leases, a line each. */
export function remarksOn({ duplicates = [], unreadable = [] }: LeasesAnswer): string[] {
  return [...duplicates, ...unreadable.map(({ sortKey, problem }) => `${sortKey}: cannot be read: ${problem}`)];
}

/** A line a lease, under a heading. */
export function leasesText(leases: readonly LeaseDetailJson[]): string {
  if (leases.length === 0) return 'no leases';
  const rows = leases.map((lease) => [
    [lease.subnet, lease.ipv6Subnet].filter((subnet) => subnet !== null).join(' '),
    lease.state,
    lease.instanceId ?? '(reserved)',
    lease.eniId,
    [lease.nodeIp, lease.nodeIpv6].filter((address) => address !== null).join(' '),
    lease.expiresAt === null ? 'never' : utc(lease.expiresAt),
  ]);
  return columns([['subnet', 'state', 'node', 'next hop', 'address', 'expires'], ...rows]).join('\n');
}

/** `2026-09-01 12:00:00Z` of epoch seconds. */
export function utc(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', 'Z');
}
