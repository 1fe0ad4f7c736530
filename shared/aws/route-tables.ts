/** Route tables of EC2. Next hops go out as ENIs only: EC2 refuses the id of an instance with several of them. */
import {
  CreateRouteCommand,
  DeleteRouteCommand,
  DescribeRouteTablesCommand,
  type EC2Client,
  type RouteTable as Ec2RouteTable,
  type Filter,
  ReplaceRouteCommand,
} from '@aws-sdk/client-ec2';
import type { Cidr } from '../domain/cidr.ts';
import { parseRouteTable, type RouteTable } from '../domain/route.ts';
import type { RouteTables } from '../reconcile/ports.ts';
import { type Caller, call } from './call.ts';
import { allPages, filterChunks, unreadable } from './pages.ts';

const describe = 'DescribeRouteTables';

/** The most that EC2 takes. */
const pageSize = 100;

export interface RouteTablesOptions extends Caller {
  readonly reads: EC2Client;
  /** A client that tries once: see `ec2WriteClient`. */
  readonly writes: EC2Client;
}

export function ec2RouteTables(options: RouteTablesOptions): RouteTables {
  const { reads, writes } = options;

  // By filter, never by `RouteTableIds`: one unknown id there fails the whole call. And always in pages: large accounts
  // refuse a request without (`OperationNotPermitted`).
  const read = async (filter: Filter): Promise<RouteTable[]> => {
    const tables = await allPages(describe, async (token) => {
      const command = new DescribeRouteTablesCommand({ Filters: [filter], MaxResults: pageSize, NextToken: token });
      const { RouteTables, NextToken } = await call(describe, options, (http) => reads.send(command, http));
      return { items: RouteTables, next: NextToken };
    });
    return tables.map(parsed);
  };

  return {
    readVpc: (vpcId) => read({ Name: 'vpc-id', Values: [vpcId] }),
    readSome: async (ids) => {
      const tables: RouteTable[] = [];
      for (const Values of filterChunks(ids)) tables.push(...(await read({ Name: 'route-table-id', Values })));
      return tables;
    },
    create: async (tableId, destination, eniId) => {
      const command = new CreateRouteCommand({
        RouteTableId: tableId,
        ...destinationOf(destination),
        NetworkInterfaceId: eniId,
      });
      const { Return } = await call('CreateRoute', options, (http) => writes.send(command, http));
      if (Return !== true) throw unreadable('CreateRoute', 'the answer does not say that the route was created');
    },
    replace: async (tableId, destination, eniId) => {
      const command = new ReplaceRouteCommand({
        RouteTableId: tableId,
        ...destinationOf(destination),
        NetworkInterfaceId: eniId,
      });
      await call('ReplaceRoute', options, (http) => writes.send(command, http));
    },
    remove: async (tableId, destination) => {
      const command = new DeleteRouteCommand({ RouteTableId: tableId, ...destinationOf(destination) });
      await call('DeleteRoute', options, (http) => writes.send(command, http));
    },
  };
}

/** IPv6 in the IPv4 field is refused for ever as no valid CIDR block. */
function destinationOf({
  family,
  text,
}: Cidr): { DestinationCidrBlock: string } | { DestinationIpv6CidrBlock: string } {
  return family === 'ipv6' ? { DestinationIpv6CidrBlock: text } : { DestinationCidrBlock: text };
}

function parsed(table: Ec2RouteTable): RouteTable {
  const id = table.RouteTableId ?? 'a table without an id';
  // Every table has its `local` route, so a table without a list of routes was cut off on the way.
  if (table.Routes === undefined) throw unreadable(describe, `${id} came without its routes`);
  try {
    return parseRouteTable(table, id);
  } catch (error) {
    throw unreadable(
      describe,
      `${id} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}
