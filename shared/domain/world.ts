/**
 * A world file: one picture of configuration, leases, instances and route tables, as `leaseway plan --world` reads it
 * and the sandbox writes it. The way to ask "what would you do?" without AWS.
 */
import { InvalidInput } from './invalid-input.ts';
import type { Lease } from './lease.ts';
import type { NetworkConfig } from './network-config.ts';
import { plannedTableIds } from './network-plan.ts';
import { parseNetworkConfig } from './parse-network-config.ts';
import type { RouteTable } from './route.ts';
import { epochSeconds, fieldsOf, isGiven, listOf, onlyKeys } from './world-fields.ts';
import { parseInstances, settledLease } from './world-instances.ts';
import { parseLease } from './world-lease.ts';
import { parseTables } from './world-tables.ts';

/** A lease and how its subnet is spelt where it was read: people look for it in that spelling. */
export interface SpeltLease {
  readonly spelling: string;
  readonly lease: Lease;
}

export interface World {
  /** Epoch seconds; null: no lease is judged by its expiry. */
  readonly now: number | null;
  readonly config: NetworkConfig;
  /** With the state that instances and clock give them. */
  readonly leases: readonly SpeltLease[];
  /** Instances that EC2 says are terminated. */
  readonly terminated: ReadonlySet<string>;
  /** The tables that the configuration names; others in the file are not looked at. */
  readonly tables: readonly RouteTable[];
  /** The digest of held deletions to let through, or null. */
  readonly force: string | null;
}

/**
 * Reads a world from parsed JSON.
 *
 * @throws InvalidInput naming the field that does not say what it must.
 */
export function parseWorld(raw: unknown): World {
  const fields = fieldsOf(raw, 'world');
  onlyKeys(fields, ['now', 'config', 'leases', 'instances', 'routeTables', 'options'], '');
  const options = fieldsOf(fields['options'] ?? {}, 'options');
  onlyKeys(options, ['routeLimit', 'force'], 'options');
  const now = isGiven(fields['now']) ? epochSeconds(fields['now'], 'now') : null;
  if (fields['config'] === undefined) throw new InvalidInput('config', undefined, 'is missing');
  const written = parseNetworkConfig(fields['config'], { field: 'config' });
  const config = { ...written, routeLimit: parseRouteLimit(options['routeLimit']) ?? written.routeLimit };
  const instances = parseInstances(fields['instances']);
  const leases = listOf(fields['leases'], 'leases').map((entry, at): SpeltLease => {
    const lease = parseLease(entry, `leases[${at}]`);
    const spelling = fieldsOf(entry, `leases[${at}]`)['subnet'] as string;
    return { spelling, lease: settledLease(lease, instances, now, config) };
  });
  return {
    now,
    config,
    leases,
    terminated: new Set([...instances].filter(([, state]) => state === 'terminated').map(([id]) => id)),
    tables: parseTables(fields['routeTables'], plannedTableIds(config)),
    force: parseForce(options['force']),
  };
}

/** Of `options.routeLimit`; null: the configuration's own counts. */
export function parseRouteLimit(limit: unknown): number | null {
  if (!isGiven(limit)) return null;
  if (!Number.isSafeInteger(limit) || (limit as number) < 1) {
    throw new InvalidInput('options.routeLimit', limit, 'is not a positive whole number');
  }
  return limit as number;
}

/** Of `options.force`; null: nothing is forced. */
export function parseForce(force: unknown): string | null {
  if (!isGiven(force) || force === false) return null;
  if (typeof force !== 'string' || force === '') {
    throw new InvalidInput('options.force', force, 'is neither false nor the digest of a refused plan');
  }
  return force;
}
