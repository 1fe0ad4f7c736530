/** What the listed route tables say about the VPC. */
import { type Cidr, contains } from '../domain/cidr.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { isOurs, managedRanges } from '../domain/ownership.ts';
import { vpcRanges } from '../domain/route.ts';
import type { Vpc } from '../keeper/ports.ts';
import type { RouteTables } from '../reconcile/ports.ts';

const variable = 'ROUTE_TABLE_IDS';

export function listedVpc(tables: Pick<RouteTables, 'readSome'>, routeTableIds: readonly string[]): Vpc {
  return {
    read: async (config) => {
      const listed = await tables.readSome(routeTableIds);
      const [vpcId, ...others] = new Set(listed.map((table) => table.vpcId));
      // One table that is missing is the sync's to report; a node shall not wait for its lease because of it.
      if (vpcId === undefined) throw new InvalidInput(variable, routeTableIds, 'EC2 knows none of these tables');
      if (others.length > 0) {
        const where = listed.map((table) => `${table.id} in ${table.vpcId}`).join(', ');
        throw new InvalidInput(variable, undefined, `the tables are of several VPCs: ${where}`);
      }

      const ranges = managedRanges(config);
      const foreign = new Map<string, Cidr>();
      const routed = new Map<string, Cidr>();
      for (const route of listed.flatMap((table) => table.routes)) {
        const { destination } = route;
        if (destination === null) continue;
        if (isOurs(route, ranges)) {
          if (route.state === 'active') routed.set(destination.text, destination);
        } else if (ranges.some(({ network }) => contains(network, destination)))
          foreign.set(destination.text, destination);
      }
      return { vpcId, vpcCidrs: vpcRanges(listed), foreign: [...foreign.values()], routed: [...routed.values()] };
    },
  };
}
