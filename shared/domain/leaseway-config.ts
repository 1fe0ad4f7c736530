/** The `Leaseway` block of a network configuration: what flannel's file has no word for. */
import { type Cidr, contains, overlaps, parseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import type { BackendConfig, FamilyConfig, NetworkConfig, Retired } from './network-config.ts';
import { readChoice, readInteger, readList } from './placed-values.ts';
import { parseRouteTableIds } from './route-table-ids.ts';
import { type KeyOptions, type Placed, readKeys } from './strict-keys.ts';

type LeasewayConfig = Pick<
  NetworkConfig,
  'mode' | 'whenStopped' | 'leaseSeconds' | 'routeLimit' | 'protected' | 'retired'
>;

/** What the rest of the file says, as far as the block must agree with it. */
interface Surroundings {
  readonly families: readonly FamilyConfig[];
  readonly backend: BackendConfig;
}

/** The allowance for clock skew on expiry is 60 s: a shorter lease would be all allowance. */
const leastLeaseSeconds = 60;
/** Ten years: beyond it somebody wrote milliseconds. */
const mostLeaseSeconds = 315_360_000;
const usualLeaseSeconds = 86_400;
/** EC2's quota of routes a table, per family: as it comes, and as far as support raises it. */
const usualRouteLimit = 500;
const mostRouteLimit = 1000;

/** @throws InvalidInput naming the key, its value and the rule. */
export function parseLeaseway(placed: Placed, surroundings: Surroundings, options: KeyOptions): LeasewayConfig {
  const keys = readKeys(
    { ...placed, value: placed.value === undefined ? {} : placed.value },
    ['Mode', 'WhenStopped', 'LeaseSeconds', 'RouteLimit', 'Protected', 'Retired'],
    options,
  );
  return {
    mode: readChoice(keys.Mode, ['enforce', 'observe'], 'enforce'),
    whenStopped: readChoice(keys.WhenStopped, ['withdraw', 'keep'], 'withdraw'),
    leaseSeconds: readInteger(keys.LeaseSeconds, leastLeaseSeconds, mostLeaseSeconds) ?? usualLeaseSeconds,
    routeLimit: readInteger(keys.RouteLimit, 1, mostRouteLimit) ?? usualRouteLimit,
    protected: readList(keys.Protected).map((range) => parseProtected(range, surroundings.families)),
    retired: parseRetiredList(keys.Retired, surroundings, options),
  };
}

function parseRetiredList(placed: Placed, surroundings: Surroundings, options: KeyOptions): readonly Retired[] {
  const retired = readList(placed).map((entry) => parseRetired(entry, surroundings, options));
  const type = surroundings.backend.type;
  if (retired.length > 0 && type !== 'aws-vpc' && retired.every((entry) => entry.routeTableIds.length === 0)) {
    const problem = `needs a RouteTableID to empty: a ${type} backend lists no route tables`;
    throw new InvalidInput(placed.field, placed.value, problem);
  }
  return retired;
}

function parseProtected(placed: Placed, families: readonly FamilyConfig[]): Cidr {
  const range = parseCidr(placed.value, placed.field);
  if (families.some(({ network }) => contains(range, network))) {
    throw new InvalidInput(placed.field, placed.value, 'covers the whole network: nothing could be granted');
  }
  if (!families.some(({ network }) => contains(network, range))) {
    const networks = families.map(({ network }) => network.text).join(' or ');
    throw new InvalidInput(placed.field, placed.value, `is not inside the network ${networks}`);
  }
  return range;
}

function parseRetired(placed: Placed, { families, backend }: Surroundings, options: KeyOptions): Retired {
  const keys = readKeys(placed, ['Network', 'SubnetLen', 'RouteTableID'], options);
  const network = keys.Network.value === undefined ? null : parseCidr(keys.Network.value, keys.Network.field);
  const subnetLen =
    network === null ? null : readInteger(keys.SubnetLen, network.length, network.family === 'ipv4' ? 32 : 128);
  if (network !== null && subnetLen === null) {
    throw new InvalidInput(keys.SubnetLen.field, undefined, `is required: routes of ${network.text} are known by it`);
  }
  if (network === null && keys.SubnetLen.value !== undefined) {
    throw new InvalidInput(keys.SubnetLen.field, keys.SubnetLen.value, 'needs the Network that it divided');
  }
  if (network === null && keys.RouteTableID.value === undefined) {
    throw new InvalidInput(placed.field, placed.value, 'names neither a Network nor a RouteTableID to give up');
  }
  const routeTableIds = keys.RouteTableID.value === undefined ? [] : parseRouteTableIds(keys.RouteTableID);
  // Without tables of its own an entry counts in every table that is planned, the listed ones among them.
  const live = backend.type === 'aws-vpc' ? backend.routeTableIds : [];
  const writes = routeTableIds.length === 0 ? live : routeTableIds;
  const kept = writes.find((id) => live.includes(id));
  if (kept !== undefined) {
    if (network === null) {
      const problem = `gives up ${kept}, which the backend's RouteTableID still lists`;
      throw new InvalidInput(keys.RouteTableID.field, keys.RouteTableID.value, problem);
    }
    // Routes of another length cannot be taken for live ones, so the same network may be divided anew.
    const used = families.find(
      (family) => family.subnetLen === subnetLen && overlaps(family.network, network),
    )?.network;
    if (used !== undefined) {
      const problem = `overlaps the live network ${used.text}, whose routes in ${kept} are still wanted`;
      throw new InvalidInput(keys.Network.field, keys.Network.value, problem);
    }
  }
  return { network, subnetLen, routeTableIds };
}
