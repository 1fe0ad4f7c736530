/**
 * A world file: one picture of configuration, leases, instances and route tables, as `leaseway plan --world` reads it
 * and the sandbox writes it. The way to ask "what would you do?" without AWS.
 */
import { type Cidr, parseAddress, parseCidr } from './cidr.ts';
import { isPastExpiry } from './expiry.ts';
import { InvalidInput } from './invalid-input.ts';
import { isHeld, type Lease, type LeaseState } from './lease.ts';
import { type NetworkConfig, parseNetworkConfig } from './network-config.ts';
import { parseRouteTables, type RouteTable } from './route.ts';

export interface World {
  /** Epoch seconds; null: no lease is judged by its expiry. */
  readonly now: number | null;
  readonly config: NetworkConfig;
  /** Leases as they are spelt in the file, with the state that instances and clock give them. */
  readonly leases: readonly { readonly spelling: string; readonly lease: Lease }[];
  /** Instances that EC2 says are terminated. */
  readonly terminated: ReadonlySet<string>;
  readonly tables: readonly RouteTable[];
  /** A digest, or null. */
  readonly force: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

export function parseWorld(raw: unknown): World {
  const fields = fieldsOf(raw, 'world');
  onlyKeys(fields, ['now', 'config', 'leases', 'instances', 'routeTables', 'options'], 'world');
  const options = fieldsOf(fields['options'] ?? {}, 'options');
  onlyKeys(options, ['routeLimit', 'force'], 'options');
  const now = fields['now'] === undefined ? null : epochSeconds(fields['now'], 'now');
  const config = withRouteLimit(
    parseNetworkConfig(required(fields, 'config'), { field: 'config' }),
    options['routeLimit'],
  );
  const instances = parseInstances(fields['instances']);
  const list = required(fields, 'leases');
  if (!Array.isArray(list)) throw new InvalidInput('leases', list, 'is not a list');
  return {
    now,
    config,
    leases: list.map((entry, at) => {
      const lease = parseLease(entry, `leases[${at}]`);
      return { spelling: String((entry as Fields)['subnet']), lease: settled(lease, instances, now, config) };
    }),
    terminated: new Set([...instances].filter(([, state]) => state === 'terminated').map(([id]) => id)),
    tables: parseRouteTables(required(fields, 'routeTables'), 'routeTables'),
    force: parseForce(options['force']),
  };
}

function withRouteLimit(config: NetworkConfig, limit: unknown): NetworkConfig {
  if (limit === undefined) return config;
  if (!Number.isInteger(limit) || (limit as number) < 1) {
    throw new InvalidInput('options.routeLimit', limit, 'is not a positive integer');
  }
  return { ...config, routeLimit: limit as number };
}

function parseForce(force: unknown): string | null {
  if (force === undefined || force === null || force === false) return null;
  if (typeof force !== 'string' || force === '') {
    throw new InvalidInput('options.force', force, 'is neither false nor the digest of a refused plan');
  }
  return force;
}

/** The states a file may give; `stale` and `expired` follow from the clock and are accepted as written too. */
const writtenStates = ['active', 'leaving', 'withdrawn', 'released', 'reserved', 'stale', 'expired'] as const;

const leaseKeys = [
  'subnet',
  'ipv6Subnet',
  'instanceId',
  'eniId',
  'nodeIp',
  'nodeIpv6',
  'subnetId',
  'segment',
  'vtepMac',
  'state',
  'acquiredAt',
  'expiresAt',
  'version',
] as const;

export function parseLease(raw: unknown, field: string): Lease {
  const fields = fieldsOf(raw, field);
  refuseMisspelt(fields, field);
  const state = parseState(fields['state'], `${field}.state`);
  const text = (key: (typeof leaseKeys)[number]): string | null => optionalText(fields[key], `${field}.${key}`);
  const id = (key: 'instanceId' | 'eniId', prefix: string): string =>
    identifier(fields[key], `${field}.${key}`, prefix);
  const subnet = parseCidr(fields['subnet'], `${field}.subnet`);
  const isReserved = state === 'reserved';
  return {
    subnet,
    ipv6Subnet: optionalCidr(fields['ipv6Subnet'], `${field}.ipv6Subnet`),
    instanceId: isReserved && (fields['instanceId'] ?? null) === null ? null : id('instanceId', 'i-'),
    eniId: id('eniId', 'eni-'),
    nodeIp: text('nodeIp') === null ? null : parseAddress(fields['nodeIp'], `${field}.nodeIp`, 'ipv4'),
    nodeIpv6: text('nodeIpv6') === null ? null : parseAddress(fields['nodeIpv6'], `${field}.nodeIpv6`, 'ipv6'),
    subnetId: text('subnetId'),
    segment: text('segment'),
    vtepMac: text('vtepMac'),
    state,
    acquiredAt: fields['acquiredAt'] === undefined ? 0 : epochSeconds(fields['acquiredAt'], `${field}.acquiredAt`),
    expiresAt: (fields['expiresAt'] ?? null) === null ? null : epochSeconds(fields['expiresAt'], `${field}.expiresAt`),
    version: fields['version'] === undefined ? 0 : wholeNumber(fields['version'], `${field}.version`),
  };
}

function parseState(value: unknown, field: string): LeaseState {
  if (value === undefined) return 'active';
  const state = writtenStates.find((candidate) => candidate === value);
  if (state === undefined) throw new InvalidInput(field, value, `is none of ${writtenStates.join(', ')}`);
  return state;
}

/** Unknown keys are another version's; a known key in other letters is a mistake that would change the plan. */
function refuseMisspelt(fields: Fields, field: string): void {
  for (const key of Object.keys(fields)) {
    const meant = leaseKeys.find((known) => known !== key && known.toLowerCase() === key.toLowerCase());
    if (meant !== undefined) throw new InvalidInput(`${field}.${key}`, fields[key], `is misspelt: write ${meant}`);
  }
}

/** What EC2 and the clock make of a lease, by the keeper's rules. An instance that is not in the file is unknown and kept. */
function settled(
  lease: Lease,
  instances: ReadonlyMap<string, string>,
  now: number | null,
  config: NetworkConfig,
): Lease {
  if (lease.instanceId === null || !isHeld(lease.state)) return lease;
  const instance = instances.get(lease.instanceId);
  if (instance === 'terminated') return { ...lease, state: 'released' };
  if (instance === 'stopped') return { ...lease, state: config.whenStopped === 'keep' ? 'leaving' : 'withdrawn' };
  const isRunning = instance === 'running' || instance === 'pending';
  const onItsWayDown = instance === 'stopping' || instance === 'shutting-down';
  if (lease.state === 'withdrawn' && !isRunning) return lease;
  if (now !== null && isPastExpiry(lease.expiresAt, now)) {
    return { ...lease, state: isRunning || onItsWayDown ? 'stale' : 'expired' };
  }
  if (onItsWayDown) return { ...lease, state: 'leaving' };
  return isRunning ? { ...lease, state: 'active' } : lease;
}

/** Reads `aws ec2 describe-instances` output: state by instance id. */
function parseInstances(raw: unknown): Map<string, string> {
  const states = new Map<string, string>();
  if (raw === undefined || raw === null) return states;
  const reservations = fieldsOf(raw, 'instances')['Reservations'];
  if (!Array.isArray(reservations)) throw new InvalidInput('instances.Reservations', reservations, 'is not a list');
  reservations.forEach((reservation, r) => {
    const at = `instances.Reservations[${r}]`;
    const instances = fieldsOf(reservation, at)['Instances'] ?? [];
    if (!Array.isArray(instances)) throw new InvalidInput(`${at}.Instances`, instances, 'is not a list');
    instances.forEach((instance, i) => {
      const fields = fieldsOf(instance, `${at}.Instances[${i}]`);
      const id = identifier(fields['InstanceId'], `${at}.Instances[${i}].InstanceId`, 'i-');
      const state = fieldsOf(fields['State'], `${at}.Instances[${i}].State`)['Name'];
      if (typeof state !== 'string')
        throw new InvalidInput(`${at}.Instances[${i}].State.Name`, state, 'is not a string');
      states.set(id, state);
    });
  });
  return states;
}

function fieldsOf(raw: unknown, field: string): Fields {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new InvalidInput(field, raw, 'is not an object');
  return raw as Fields;
}

function onlyKeys(fields: Fields, known: readonly string[], field: string): void {
  for (const key of Object.keys(fields)) {
    if (!known.includes(key))
      throw new InvalidInput(`${field}.${key}`, undefined, `is not known; the keys are ${known.join(', ')}`);
  }
}

function required(fields: Fields, key: string): unknown {
  if (fields[key] === undefined) throw new InvalidInput(key, undefined, 'is missing');
  return fields[key];
}

function identifier(value: unknown, field: string, prefix: string): string {
  if (value === undefined || value === null) throw new InvalidInput(field, undefined, 'is missing');
  if (typeof value !== 'string' || !value.startsWith(prefix) || value.length === prefix.length) {
    throw new InvalidInput(field, value, `is not an id such as ${prefix}0123456789abcdef0`);
  }
  return value.toLowerCase();
}

function optionalText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value === '') throw new InvalidInput(field, value, 'is not a text');
  return value;
}

function optionalCidr(value: unknown, field: string): Cidr | null {
  return value === undefined || value === null ? null : parseCidr(value, field, 'ipv6');
}

/** Milliseconds are refused: 1.9e12 seconds are 60,000 years away, so such a lease would never expire. */
export function epochSeconds(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value >= 1e11) {
    throw new InvalidInput(field, value, 'is not a time in epoch seconds');
  }
  return Math.floor(value);
}

function wholeNumber(value: unknown, field: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new InvalidInput(field, value, 'is not a whole number');
  return value as number;
}
