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
      const found = new Set(listed.map(({ id }) => id));
      const missing = routeTableIds.filter((id) => !found.has(id));
      if (missing.length > 0) throw new InvalidInput(variable, undefined, `EC2 knows no ${missing.join(', ')}`);
      const [vpcId, ...others] = new Set(listed.map((table) => table.vpcId));
      if (vpcId === undefined) throw new InvalidInput(variable, undefined, 'lists no route table');
      if (others.length > 0) {
        const where = listed.map((table) => `${table.id} in ${table.vpcId}`).join(', ');
        throw new InvalidInput(variable, undefined, `the tables are of several VPCs: ${where}`);
      }

      const ranges = managedRanges(config);
      const foreign = new Map<string, Cidr>();
      for (const route of listed.flatMap((table) => table.routes)) {
        const { destination } = route;
        if (destination === null || isOurs(route, ranges)) continue;
        if (ranges.some(({ network }) => contains(network, destination))) foreign.set(destination.text, destination);
      }
      return { vpcId, vpcCidrs: vpcRanges(listed), foreign: [...foreign.values()] };
    },
  };
}
