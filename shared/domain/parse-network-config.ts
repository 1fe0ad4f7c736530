/** Reads flannel's `net-conf.json`, strictly. */
import { parseBackend } from './backend-config.ts';
import type { Family } from './cidr.ts';
import { followIpv4 } from './dual-stack.ts';
import { checkDisabledFamily, type FamilyKeys, parseFamily } from './family-config.ts';
import { InvalidInput } from './invalid-input.ts';
import { parseJsonText } from './json-text.ts';
import { parseLeaseway } from './leaseway-config.ts';
import type { FamilyConfig, NetworkConfig } from './network-config.ts';
import { readBoolean } from './placed-values.ts';
import { type Placed, readKeys } from './strict-keys.ts';

export interface ParseOptions {
  /** Unknown keys are ignored: agents must outlive keys they do not know yet. Known keys are checked all the same. */
  readonly lenient?: boolean;
  /** Name of the root in errors. */
  readonly field?: string;
}

const topKeys = [
  'EnableIPv4',
  'EnableIPv6',
  'EnableNFTables',
  'Network',
  'SubnetLen',
  'SubnetMin',
  'SubnetMax',
  'IPv6Network',
  'IPv6SubnetLen',
  'IPv6SubnetMin',
  'IPv6SubnetMax',
  'Backend',
  'Leaseway',
] as const;
type TopKeys = Record<(typeof topKeys)[number], Placed>;

/**
 * Reads a configuration from its JSON text or from the parsed object. Key case is free at every level, as in flannel.
 *
 * - `null` is a wrong type, not another way to leave a key out.
 * - The keys of a family that is switched off must be well formed and are then ignored; IPv6 keys without any
 *   `EnableIPv6` are an error, because flannel's default (off) would drop them in silence.
 * - With both families the IPv6 range has the indexes of the IPv4 range. `IPv6SubnetMin` and `IPv6SubnetMax` may be
 *   given if they hold these indexes, and are narrowed to them.
 * - `EnableNFTables` is checked and has no effect: it chooses how flannel masquerades, and the agent's `--masquerade`
 *   decides that here.
 *
 * @throws InvalidInput naming the path of the key, its value, and what was expected.
 */
export function parseNetworkConfig(input: unknown, options: ParseOptions = {}): NetworkConfig {
  const field = options.field ?? 'config';
  const lenient = options.lenient ?? false;
  const value = typeof input === 'string' ? parseJsonText(input, field) : input;
  const keys = readKeys({ field, value }, topKeys, { lenient });
  readBoolean(keys.EnableNFTables, false);
  const families = parseFamilies(keys);
  const backend = parseBackend(keys.Backend, { lenient, hasIpv6: families.some(({ family }) => family === 'ipv6') });
  return { families, backend, ...parseLeaseway(keys.Leaseway, { families, backend }, { lenient }) };
}

function parseFamilies(keys: TopKeys): readonly FamilyConfig[] {
  const ipv4Keys = {
    network: keys.Network,
    subnetLen: keys.SubnetLen,
    subnetMin: keys.SubnetMin,
    subnetMax: keys.SubnetMax,
  };
  const ipv6Keys = {
    network: keys.IPv6Network,
    subnetLen: keys.IPv6SubnetLen,
    subnetMin: keys.IPv6SubnetMin,
    subnetMax: keys.IPv6SubnetMax,
  };
  if (keys.EnableIPv6.value === undefined) refuseUnasked(ipv6Keys, keys.EnableIPv6.field);
  const ipv4 = parseSwitched('ipv4', readBoolean(keys.EnableIPv4, true), ipv4Keys);
  const ipv6 = parseSwitched('ipv6', readBoolean(keys.EnableIPv6, false), ipv6Keys);
  if (ipv4 === null && ipv6 === null) {
    throw new InvalidInput(keys.EnableIPv4.field, keys.EnableIPv4.value, 'leaves no family: enable IPv4, IPv6 or both');
  }
  if (ipv4 !== null && ipv6 !== null) return [ipv4, followIpv4(ipv4, ipv6, ipv6Keys)];
  return [ipv4, ipv6].filter((family) => family !== null);
}

function parseSwitched(family: Family, enabled: boolean, keys: FamilyKeys): FamilyConfig | null {
  if (enabled) return parseFamily(family, keys);
  checkDisabledFamily(family, keys);
  return null;
}

function refuseUnasked(ipv6Keys: FamilyKeys, enableField: string): void {
  for (const { field, value } of Object.values(ipv6Keys) as Placed[]) {
    if (value === undefined) continue;
    throw new InvalidInput(field, value, `has no effect without ${enableField}: set that to true or false`);
  }
}
