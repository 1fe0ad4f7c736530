/**
 * The world that the sandbox begins with: the file's, with each lease in the state that the file's instances and clock
 * give it, as `leaseway plan --world` has it. So the stack plans at once what a plan of the file says.
 *
 * A sweep would find the same states. But every lease that it changes wakes a sync, and the drift that somebody loaded
 * a world for would be repaired before he saw it.
 */
import { InvalidInput } from '../shared/domain/invalid-input.ts';
import { isHeld } from '../shared/domain/lease.ts';
import { netConfOf } from '../shared/domain/net-conf.ts';
import { parseNetworkConfig } from '../shared/domain/parse-network-config.ts';
import { parseForce, parseRouteLimit, parseWorld } from '../shared/domain/world.ts';
import {
  epochSeconds,
  type Fields,
  fieldsOf,
  isGiven,
  listOf,
  onlyKeys,
  printedList,
} from '../shared/domain/world-fields.ts';
import { parseInstances, settledLease } from '../shared/domain/world-instances.ts';
import { parseLease } from '../shared/domain/world-lease.ts';
import { planWorld } from '../shared/domain/world-plan.ts';

export interface SandboxWorld {
  readonly world: Fields;
  /** The route tables that its configuration lists, else all that it has. */
  readonly tableIds: readonly string[];
  /** What will not work as somebody might expect. */
  readonly warnings: readonly string[];
}

/**
 * Every member may be absent; what is there must be as a plan of the file wants it.
 *
 * @throws InvalidInput naming the field
 */
export function sandboxWorld(raw: unknown): SandboxWorld {
  const world = fieldsOf(raw, 'world');
  onlyKeys(world, ['now', 'config', 'leases', 'instances', 'routeTables', 'options'], '');
  const now = isGiven(world['now']) ? epochSeconds(world['now'], 'now') : null;
  const options = fieldsOf(world['options'] ?? {}, 'options');
  onlyKeys(options, ['routeLimit', 'force'], 'options');
  const routeLimit = parseRouteLimit(options['routeLimit']);
  const config = isGiven(world['config']) ? parseNetworkConfig(world['config'], { field: 'config' }) : null;
  const instances = parseInstances(world['instances']);
  const leases = listOf(world['leases'] ?? [], 'leases').map((entry, at) => {
    const field = `leases[${at}]`;
    const lease = settledLease(parseLease(entry, field), instances, now, config ?? { whenStopped: 'withdraw' });
    return { lease, json: { ...fieldsOf(entry, field), state: lease.state } };
  });
  const isLeased = leases.some(({ lease }) => isHeld(lease.state) && lease.instanceId !== null);
  const tables = idsOfTables(world['routeTables']);
  return {
    world: {
      ...world,
      ...(config !== null && routeLimit !== null && { config: netConfOf({ ...config, routeLimit }) }),
      leases: leases.map(({ json }) => json),
    },
    tableIds: config?.backend.type === 'aws-vpc' ? config.backend.routeTableIds : tables,
    warnings: [
      ...(isLeased && instances.size === 0 ? [noInstances] : []),
      ...(parseForce(options['force']) === null ? [] : [noForce]),
      ...refusalOf({ ...world, leases: world['leases'] ?? [] }),
    ],
  };
}

/** What a plan of the file refuses although each member is well formed: the stack will refuse it too. */
function refusalOf(world: Fields): readonly string[] {
  if (!isGiven(world['config']) || !isGiven(world['routeTables'])) return [];
  const parsed = parseWorld(world);
  try {
    planWorld(parsed);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return [`world: the stack refuses it: ${error.message}`];
  }
  return [];
}

const noInstances =
  'world: has leases and no instances: EC2 knows none of their interfaces and refuses routes to them, and the leases ' +
  'end an hour after the first sweep';

const noForce =
  'options.force: is ignored, no sync of the stack is forced: leaseway resync --force DIGEST lets held deletions through';

function idsOfTables(raw: unknown): string[] {
  if (!isGiven(raw)) return [];
  const ids = printedList(raw, 'routeTables', 'RouteTables').map(({ field, value }) => fieldsOf(value, field));
  return ids.flatMap(({ RouteTableId: id }) => (typeof id === 'string' ? [id] : []));
}
